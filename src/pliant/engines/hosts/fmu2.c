typedef int fmi2Boolean;

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const categories[]) {
  (void)c, (void)on, (void)n, (void)categories;
  return OK;
}
EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const void *functions, int visible, int logging) {
  (void)name, (void)resources, (void)functions, (void)visible, (void)logging;
  return type == 1 && guid != NULL && strcmp(guid, "@token@") == 0 ? made() : NULL;
}
EXPORT void fmi2FreeInstance(void *c) { free(c); }
EXPORT int fmi2SetupExperiment(void *c, int t, double tolerance, double start, int s, double stop) {
  (void)c, (void)t, (void)tolerance, (void)start, (void)s, (void)stop;
  return OK;
}
ACCEPT(fmi2EnterInitializationMode)
EXPORT int fmi2ExitInitializationMode(void *c) { return ready((instance *)c); }
ACCEPT(fmi2Terminate)
EXPORT int fmi2Reset(void *c) { return rest((instance *)c), OK; }
EXPORT int fmi2GetReal(void *c, const uint32_t vr[], size_t n, double v[]) { return get((instance *)c, vr, n, v); }
EXPORT int fmi2SetReal(void *c, const uint32_t vr[], size_t n, const double v[]) { return set((instance *)c, vr, n, v); }
EXPORT int fmi2GetFMUstate(void *c, void **state) { return save((instance *)c, state); }
EXPORT int fmi2SetFMUstate(void *c, void *state) { return memcpy(c, state, sizeof(instance)), OK; }
EXPORT int fmi2FreeFMUstate(void *c, void **state) { return (void)c, release(state); }
EXPORT int fmi2DoStep(void *c, double t, double h, fmi2Boolean keep) {
  (void)t, (void)keep;
  return advance((instance *)c, h);
}
