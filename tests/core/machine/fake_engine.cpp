extern "C" int fake_libtorch();

// The address of something, which is never used as an engine.
extern "C" void* ropelab_engine() {
    static int engine = fake_libtorch();
    return &engine;
}
