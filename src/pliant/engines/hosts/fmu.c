/* Co-simulation of an actuator by FMI @version@.0, on its header; see modelDescription.xml.
 *
 * One step of the actuator in each communication step, whose size stays the same: its delay line counts steps.
 * Functions for what the description does not offer return the standard's error. */
#include "@prefix@.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

enum { OK = 0, ERROR = 3 };

typedef struct {
  @prefix@_parameters p;
  @prefix@_state s;
  @prefix@_input in;
  double torque, budget, friction, armature, h;
} instance;

static const @prefix@_parameters VALUES = @PREFIX@_VALUES;

static void rest(instance *m) {
  memset(m, 0, sizeof *m);
  m->p = VALUES;
  m->in = @prefix@_at_rest(&m->p);
  m->armature = @prefix@_armature(m->p);
}

/* The number behind a value reference; settable says whether the host may change it. */
static double *variable(instance *m, uint32_t reference, bool *settable) {
  *settable = reference < 11 || reference >= 100;
  switch (reference) {
@variables@
  }
  return NULL;
}

static int get(instance *m, const uint32_t *references, size_t n, double *values) {
  size_t k;
  bool settable;
  for (k = 0; k < n; k++) {
    const double *at = variable(m, references[k], &settable);
    if (at == NULL) return ERROR;
    values[k] = *at;
  }
  return OK;
}

static int set(instance *m, const uint32_t *references, size_t n, const double *values) {
  size_t k;
  bool settable;
  for (k = 0; k < n; k++) {
    double *at = variable(m, references[k], &settable);
    if (at == NULL || !settable) return ERROR;
    *at = values[k];
  }
  return OK;
}

/* The parameters that were set are whole. */
static int ready(instance *m) {
  m->armature = @prefix@_armature(m->p);
  return OK;
}

static int advance(instance *m, double h) {
  @prefix@_output out;
  if (!(h > 0.0)) return ERROR;
  if (m->h == 0.0) {
    m->h = h;
    if (@prefix@_start(&m->s, &m->p, m->in.q, h)) return ERROR;
  } else if (h < m->h * (1.0 - 1e-6) || h > m->h * (1.0 + 1e-6)) {
    return ERROR;
  }
  out = @prefix@_step(&m->s, &m->p, &m->in, m->h);
  m->torque = out.torque;
  m->budget = out.budget;
  m->friction = 0.0;
  if (m->in.inertia > 0.0)
    m->friction = @prefix@_friction(m->in.v, out.torque, m->in.load, out.budget, m->in.inertia + m->armature, m->h);
  return OK;
}

static int save(instance *m, void **state) {
  if (*state == NULL) *state = malloc(sizeof *m);
  if (*state == NULL) return ERROR;
  memcpy(*state, m, sizeof *m);
  return OK;
}

static int release(void **state) {
  free(*state);
  *state = NULL;
  return OK;
}

static instance *made(void) {
  instance *m = (instance *)malloc(sizeof *m);
  if (m != NULL) rest(m);
  return m;
}

#define REFUSE(name) \
  EXPORT int name();  \
  EXPORT int name() { return ERROR; }
#define ACCEPT(name)        \
  EXPORT int name(void *c); \
  EXPORT int name(void *c) { return c == NULL ? ERROR : OK; }

@functions@
