EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT int fmi3SetDebugLogging(void *c, bool on, size_t n, const char *const categories[]) {
  (void)c, (void)on, (void)n, (void)categories;
  return OK;
}
EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                         bool logging, bool events, bool early, const uint32_t vr[], size_t n,
                                         void *environment, void *log, void *update) {
  (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)vr, (void)n;
  (void)environment, (void)log, (void)update;
  return token != NULL && strcmp(token, "@token@") == 0 ? made() : NULL;
}
EXPORT void fmi3FreeInstance(void *c) { free(c); }
EXPORT int fmi3EnterInitializationMode(void *c, bool t, double tolerance, double start, bool s, double stop) {
  (void)c, (void)t, (void)tolerance, (void)start, (void)s, (void)stop;
  return OK;
}
EXPORT int fmi3ExitInitializationMode(void *c) { return ready((instance *)c); }
ACCEPT(fmi3Terminate)
EXPORT int fmi3Reset(void *c) { return rest((instance *)c), OK; }
EXPORT int fmi3GetFloat64(void *c, const uint32_t vr[], size_t n, double v[], size_t count) {
  return n == count ? get((instance *)c, vr, n, v) : ERROR;
}
EXPORT int fmi3SetFloat64(void *c, const uint32_t vr[], size_t n, const double v[], size_t count) {
  return n == count ? set((instance *)c, vr, n, v) : ERROR;
}
EXPORT int fmi3GetFMUState(void *c, void **state) { return save((instance *)c, state); }
EXPORT int fmi3SetFMUState(void *c, void *state) { return memcpy(c, state, sizeof(instance)), OK; }
EXPORT int fmi3FreeFMUState(void *c, void **state) { return (void)c, release(state); }
EXPORT int fmi3DoStep(void *c, double t, double h, bool keep, bool *event, bool *terminate, bool *early, double *last) {
  (void)keep;
  *event = *terminate = *early = false;
  *last = t + h;
  return advance((instance *)c, h);
}
