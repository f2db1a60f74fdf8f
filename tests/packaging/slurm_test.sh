#!/usr/bin/env bash
# slurm_test.sh CHECKOUT ROPELAB_CLI: a sweep as a job array under a real Slurm, whose daemons are started here, by hand,
# on the loopback address; and a task that is put back into the queue while it trains. Skipped (77) where Slurm is not
# there or does not start.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
program=$2
export PATH=$PATH:/usr/sbin

skip() {
    echo "skipped: $1"
    exit 77
}

[[ $(uname -s) == Linux ]] || skip 'Slurm runs on Linux.'
for tool in munged munge slurmctld slurmd sbatch squeue scancel scontrol sinfo; do
    command -v $tool >/dev/null || skip "There is no $tool; install slurm-wlm and munge for this test."
done
((EUID == 0)) || skip 'Slurm starts jobs of any user, so its daemons need root.'

daemons=()
end_all() {
    scancel --user=root >/dev/null 2>&1 || true
    for ((wait = 0; wait < 20; ++wait)); do
        [[ -n $(squeue --noheader 2>/dev/null) ]] || break
        sleep 0.5
    done
    local i
    for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do kill "${daemons[i]}" 2>/dev/null || true; done
    wait
    rm -rf "$scratch"
}
trap end_all EXIT

# free_port: one that nobody listens on now.
free_port() {
    local port
    for ((port = 20000 + RANDOM % 20000;; ++port)); do
        (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

# wait_for SECONDS COMMAND…: until it succeeds.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        sleep 0.2
    done
}

chmod 755 "$scratch"
mkdir "$scratch"/{munge,state,spool}
(umask 077 && head -c 1024 /dev/urandom >"$scratch/munge/key")
munged --foreground --force --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" \
    --pid-file="$scratch/munge/pid" --log-file="$scratch/munge/log" --seed-file="$scratch/munge/seed" \
    >"$scratch/munged.log" 2>&1 &
daemons+=($!)
wait_for 15 munge --no-input --socket="$scratch/munge/socket" ||
    skip "munged does not start: $(tail -n 1 "$scratch/munged.log")"

# Real cores and memory do not matter: the node is what is written here.
cat >"$scratch/slurm.conf" <<END
ClusterName=ropelab
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SchedulerParameters=sched_interval=1,bf_interval=1
MinJobAge=10
NodeName=here NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 RealMemory=65536 State=UNKNOWN
PartitionName=all Nodes=here Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$scratch/slurm.conf
slurmctld -D -f "$SLURM_CONF" >"$scratch/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -N here -f "$SLURM_CONF" >"$scratch/slurmd.log" 2>&1 &
daemons+=($!)
node_is_idle() { [[ $(sinfo --noheader --format=%T) == idle ]]; }
wait_for 40 node_is_idle || skip "Slurm does not start: $(cat "$scratch"/slurm{ctld,d}.log | grep -i error | tail -n 1)"

# Four cohorts of two runs: two widths, two depths, two seeds. The path has a blank, as paths have.
sweep=$scratch/'a sweep'
settings=()
for setting in width=16,32 layers=1,2 seed=1,2 heads=2 context=16 batch=4 iterations=5 evaluate_every=5 \
    evaluation=sampled evaluation_batches=1 sample_length=0 data_length=5000 precision=float32 threads=1; do
    settings+=(--set "$setting")
done
expect 0 'Written: 4 tasks with 8 runs' "$program" sweep "${settings[@]}" --slurm "$sweep" --at-once 2
grep -q -- '--array=0-3%2' "$sweep/job.sbatch" || wrong 'the array is not of four tasks, two at a time'

queue_is_empty() { [[ -z $(squeue --noheader) ]]; }
# submit_and_wait: hands the sweep in and waits until it is through.
submit_and_wait() {
    (cd / && expect 0 'then merges into merged.ropelab' "$sweep/submit.sh")
    wait_for 200 queue_is_empty || { squeue; wrong 'the jobs did not end'; }
    [[ -e $sweep/merged.ropelab ]] || { tail -n 5 "$sweep"/*.log; wrong 'there is no merged lab'; }
}

# all_runs_are_there: eight finished runs, four groups of two seeds.
all_runs_are_there() {
    expect 0 '"n": 2' "$program" results --lab "$sweep/merged.ropelab" --json
    "$program" results --lab "$sweep/merged.ropelab" --format csv >"$scratch/said"
    [[ $(grep -c '^[0-9]*,[0-9]*,2,' "$scratch/said") == 4 ]] || wrong 'not four groups of two finished runs'
    expect 0 '"runs": 8' "$program" export --lab "$sweep/merged.ropelab" --format csv --output "$scratch/all.csv" \
        --force --json
}

submit_and_wait
all_runs_are_there
for task in 0 1 2 3; do [[ -s $sweep/task-$task.log ]] || wrong "task $task says nothing"; done

# Handed in again, nothing is trained twice, and the earlier lab stays.
touch "$scratch/marker"
submit_and_wait
all_runs_are_there
[[ -z $(find "$sweep"/task-*.checkpoints -newer "$scratch/marker") ]] || wrong 'finished runs were trained again'
ls "$sweep"/before-*-merged.ropelab >/dev/null || wrong 'the earlier lab is gone'

# A task that goes back into the queue while it trains: it ends with the numbers of a sweep that was left alone.
settings=()
for setting in seed=1,2 width=16 heads=2 context=16 batch=4 iterations=3000 evaluate_every=50 evaluation=sampled \
    evaluation_batches=1 sample_length=0 data_length=5000 precision=float32 threads=1; do
    settings+=(--set "$setting")
done
sweep=$scratch/requeued
expect 0 'Written: 1 task with 2 runs' "$program" sweep "${settings[@]}" --slurm "$sweep"
expect 0 'then merges' "$sweep/submit.sh"
array=$(sed -n 's/^Job \([0-9]*\) trains.*/\1/p' "$scratch/said")
has_checkpoint() { compgen -G "$sweep/task-0.ropelab.checkpoints/*.safetensors"; }
wait_for 60 has_checkpoint || { cat "$sweep"/*.log; wrong 'the task writes no checkpoint'; }
scontrol requeue "${array}_0"
# It would wait for two minutes otherwise. Slurm 22.05 takes a start within the seconds in which the first life was killed
# for that life ("Job credential revoked"), so some pass first.
sleep 10
start_again() {
    [[ $(squeue --noheader --jobs="$array" --format=%T) == PENDING ]] && node_is_idle &&
        scontrol update JobId="$array" StartTime=now
}
wait_for 60 start_again || { squeue; wrong 'the task is not put back'; }
# Between its two lives the task may be in nobody's queue for a moment.
started_twice() { [[ $(grep -c ' threads, ' "$sweep/task-0.log") == 2 ]]; }
wait_for 100 started_twice || { squeue; cat "$sweep"/*.log; wrong 'no two starts'; }
wait_for 200 queue_is_empty || { squeue; wrong 'the jobs did not end'; }
"$program" sweep "${settings[@]}" --lab "$scratch/alone.ropelab" >/dev/null 2>&1
for lab in "$scratch/alone.ropelab" "$sweep/merged.ropelab"; do
    # Times differ from one training to the next.
    "$program" results --lab "$lab" --format csv | cut -d, -f1-11 >"$scratch/$(basename "$lab").csv"
done
cmp "$scratch/alone.ropelab.csv" "$scratch/merged.ropelab.csv" || wrong 'a requeued task has other numbers'
echo 'A four-task array ran and merged under a real Slurm, and a requeued task went on.'
