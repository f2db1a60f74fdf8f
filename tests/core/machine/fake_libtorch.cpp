extern "C" int fake_libtorch() {
    return 1;
}
