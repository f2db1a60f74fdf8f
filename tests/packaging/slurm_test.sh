#!/usr/bin/env bash
# slurm_test.sh CHECKOUT ROPELAB_CLI: tests a sweep as a job array with a real Slurm, and a task that is requeued while it
# trains. The test starts Slurm's daemons itself on the loopback address. Skipped (status 77) if Slurm is missing or does
# not start.
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
    command -v $tool >/dev/null || skip "$tool is missing; install slurm-wlm and munge for this test."
done
((EUID == 0)) || skip "Slurm's daemons require root, because they start jobs of any user."

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

# Prints a TCP port on which no program listens.
free_port() {
    local port
    for ((port = 20000 + RANDOM % 20000;; ++port)); do
        (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

# wait_for SECONDS COMMAND…: repeats the command until it succeeds, or fails after SECONDS.
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

# Slurm uses the cores and memory of this configuration instead of the machine's (config_overrides).
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

# Four cohorts of two runs: two widths, two depths, two seeds. The path contains a space to test the quoting.
sweep=$scratch/'a sweep'
settings=()
for setting in width=16,32 layers=1,2 seed=1,2 heads=2 context=16 batch=4 iterations=5 evaluate_every=5 \
    evaluation=sampled evaluation_batches=1 sample_length=0 data_length=5000 precision=float32 threads=1; do
    settings+=(--set "$setting")
done
expect 0 'Wrote 4 tasks with 8 runs' "$program" sweep "${settings[@]}" --slurm "$sweep" --max-parallel-tasks 2
grep -q -- '--array=0-3%2' "$sweep/job.sbatch" || wrong 'the array does not have four tasks, at most two in parallel'

queue_is_empty() { [[ -z $(squeue --noheader) ]]; }
# submit_and_wait: submits the sweep and waits until all jobs have ended.
submit_and_wait() {
    (cd / && expect 0 'then merges the labs into merged.ropelab' "$sweep/submit.sh")
    wait_for 200 queue_is_empty || { squeue; wrong 'the jobs did not end'; }
    [[ -e $sweep/merged.ropelab ]] || { tail -n 5 "$sweep"/*.log; wrong 'merged.ropelab is missing'; }
}

# all_runs_are_there: asserts eight finished runs in four groups of two seeds.
all_runs_are_there() {
    expect 0 '"n": 2' "$program" results --lab "$sweep/merged.ropelab" --json
    "$program" results --lab "$sweep/merged.ropelab" --format csv >"$scratch/said"
    [[ $(grep -c '^[0-9]*,[0-9]*,2,' "$scratch/said") == 4 ]] || wrong 'the results are not four groups of two finished runs'
    expect 0 '"runs": 8' "$program" export --lab "$sweep/merged.ropelab" --format csv --output "$scratch/all.csv" \
        --force --json
}

submit_and_wait
all_runs_are_there
for task in 0 1 2 3; do [[ -s $sweep/task-$task.log ]] || wrong "the log of task $task is empty"; done

# After a second submission, no run is trained twice, and the earlier merged lab is kept under another name.
touch "$scratch/marker"
submit_and_wait
all_runs_are_there
[[ -z $(find "$sweep"/task-*.checkpoints -newer "$scratch/marker") ]] || wrong 'finished runs were trained again'
ls "$sweep"/before-*-merged.ropelab >/dev/null || wrong 'the earlier lab is missing'

# A task that is requeued while it trains gets the same results as an uninterrupted sweep.
settings=()
for setting in seed=1,2 width=16 heads=2 context=16 batch=4 iterations=3000 evaluate_every=50 evaluation=sampled \
    evaluation_batches=1 sample_length=0 data_length=5000 precision=float32 threads=1; do
    settings+=(--set "$setting")
done
sweep=$scratch/requeued
expect 0 'Wrote 1 task with 2 runs' "$program" sweep "${settings[@]}" --slurm "$sweep"
expect 0 'then merges' "$sweep/submit.sh"
array=$(sed -n 's/^Job \([0-9]*\) trains.*/\1/p' "$scratch/said")
has_checkpoint() { compgen -G "$sweep/task-0.ropelab.checkpoints/*.safetensors"; }
wait_for 60 has_checkpoint || { cat "$sweep"/*.log; wrong 'the task wrote no checkpoint'; }
scontrol requeue "${array}_0"
# A requeued task waits for two minutes unless its start time is changed. Slurm 22.05 rejects a start within seconds of the
# kill ("Job credential revoked"), so the test waits first.
sleep 10
start_again() {
    [[ $(squeue --noheader --jobs="$array" --format=%T) == PENDING ]] && node_is_idle &&
        scontrol update JobId="$array" StartTime=now
}
wait_for 60 start_again || { squeue; wrong 'the task was not requeued'; }
# Between its two starts, the task can be missing in the queue for a moment.
started_twice() { [[ $(grep -c ' threads, ' "$sweep/task-0.log") == 2 ]]; }
wait_for 100 started_twice || { squeue; cat "$sweep"/*.log; wrong 'the task did not start twice'; }
wait_for 200 queue_is_empty || { squeue; wrong 'the jobs did not end'; }
"$program" sweep "${settings[@]}" --lab "$scratch/alone.ropelab" >/dev/null 2>&1
for lab in "$scratch/alone.ropelab" "$sweep/merged.ropelab"; do
    # Columns with times are cut off, because they differ between trainings.
    "$program" results --lab "$lab" --format csv | cut -d, -f1-11 >"$scratch/$(basename "$lab").csv"
done
cmp "$scratch/alone.ropelab.csv" "$scratch/merged.ropelab.csv" || wrong 'the requeued task has different results'
echo 'A job array of four tasks ran and was merged with a real Slurm, and a requeued task resumed.'
