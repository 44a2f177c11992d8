/* @about@
 *
 * Generated; every edit is lost. SI units and radians. C99, or C++11 and later; needs math.h alone.
 * Numbers are double; with `#define @PREFIX@_REAL float` before the first #include they are float.
 *
 *   static const @prefix@_parameters p = @PREFIX@_VALUES;
 *   @prefix@_state s;
 *   @prefix@_input in = @prefix@_at_rest(&p);
 *   if (@prefix@_start(&s, &p, q, h)) return 1;      // the step h [s] is constant from here on
 *   for (;;) {                                       // once a step:
 *     in.goal = goal; in.q = q; in.v = v;
 *     @prefix@_output out = @prefix@_step(&s, &p, &in, h);
 *     ...                                            // torque out.torque, friction up to out.budget
 *   }
 *
 * Where the numbers come from:
@sources@
 */
#ifndef @guard@
#define @guard@

#include <math.h>

#ifndef @PREFIX@_REAL
#define @PREFIX@_REAL double
#endif
typedef @PREFIX@_REAL @prefix@_real;

/* Commands that the delay line keeps, one a step: at least the delay over the step, rounded up. */
#ifndef @PREFIX@_HISTORY
#define @PREFIX@_HISTORY @history@
#endif

typedef struct {
  @prefix@_real *at; /* how many commands are kept, then these, the newest first */
  int count;
} @prefix@_line;

/* ---- parameters and state ---- */

@structures@

/* The actuator's numbers, in the order of `@prefix@_parameters`. */
#define @PREFIX@_VALUES \
@values@

/* One for each joint. A copy of it is a snapshot. */
typedef struct {
  @prefix@_laws_state laws;
  @prefix@_real history[2][1 + @PREFIX@_HISTORY]; /* of both commands */
} @prefix@_state;

typedef struct {
  @prefix@_real goal;    /* command, in the unit of the control law */
  @prefix@_real preset;  /* second command, where the actuator has one */
  @prefix@_real q;       /* rad; joint */
  @prefix@_real v;       /* rad/s; joint */
  @prefix@_real load;    /* N m; the other torques on the joint, as far as they are known */
  @prefix@_real inertia; /* kg m^2; what the joint carries, 0: not known */
  @prefix@_real supply;  /* V */
  @prefix@_real on;      /* 1: torque on, 0: off */
} @prefix@_input;

typedef struct {
  @prefix@_real torque; /* N m; on the joint, without its friction */
  @prefix@_real budget; /* N m; most that its friction holds; see @prefix@_friction */
} @prefix@_output;

/* ---- functions of math ---- */

@math@

/* ---- laws ---- */

@functions@

/* ---- calls ---- */

/* Nothing commanded, nominal supply, torque on. */
static inline @prefix@_input @prefix@_at_rest(const @prefix@_parameters *p) {
  @prefix@_input in = {0, 0, 0, 0, 0, 0, 0, 1};
  in.supply = @prefix@_voltage(*p);
  return in;
}

/* An actuator that has rested at q [rad]. Returns 0, or 1 where the delay line is too short for steps of
   h [s]: then define @PREFIX@_HISTORY larger. */
static inline int @prefix@_start(@prefix@_state *s, const @prefix@_parameters *p, @prefix@_real q,
                                 @prefix@_real h) {
  int k, i;
  s->laws = @prefix@_rested(q, *p);
  for (k = 0; k < 2; k++)
    for (i = 0; i <= @PREFIX@_HISTORY; i++) s->history[k][i] = 0;
  return @prefix@_late(h, *p) > (@prefix@_real)@PREFIX@_HISTORY + (@prefix@_real)1e-3;
}

/* One step of h [s], the same in every call. Sub-steps are inside. */
static inline @prefix@_output @prefix@_step(@prefix@_state *s, const @prefix@_parameters *p,
                                            const @prefix@_input *in, @prefix@_real h) {
  const @prefix@_real age = @prefix@_late(h, *p);
  const @prefix@_line first = {s->history[0], 1 + @PREFIX@_HISTORY};
  const @prefix@_line second = {s->history[1], 1 + @PREFIX@_HISTORY};
  const @prefix@_real goal = @prefix@_arrived(first, in->goal, age);
  const @prefix@_real preset = @prefix@_arrived(second, in->preset, age);
  const @results@ r = @prefix@_laws_step(s->laws, goal, preset, in->q, in->v, in->load, in->inertia,
                                         in->supply, in->on, *p, h, @prefix@_substeps_needed(h, *p));
  @prefix@_output out;
  @prefix@_remember(first, in->goal);
  @prefix@_remember(second, in->preset);
  s->laws = r.part_0;
  out.torque = r.part_1;
  out.budget = r.part_2;
  return out;
}

/* ---- goals ---- */

/* Steps of the firmware until it keeps pace with 1 rad/s. */
#define @PREFIX@_PACE @pace@

/* Goals that bring the joint where it is wanted, the other way round: each cycle of h [s]

     k = @prefix@_goal(&p, &k, &limits, q, v, tau, measured, supply, h);   // send k.goal

   q [rad], v [rad/s]: wanted when the goal acts, after the delay and half a cycle. tau [N m]: what the
   motion needs there without friction, by inverse dynamics. measured [rad]: where the joint is. Begin with
   @prefix@_kept k = {0}; the first goal is where the joint is. What is not finite holds the goal sent last. */
static inline @prefix@_kept @prefix@_goal(const @prefix@_parameters *p, const @prefix@_kept *k,
                                          const @prefix@_limits *limits, @prefix@_real q, @prefix@_real v,
                                          @prefix@_real tau, @prefix@_real measured,
                                          @prefix@_real supply, @prefix@_real h) {
  const @prefix@_real sum = q + v + tau + measured + supply;
  if (sum - sum != 0) return *k; /* not finite */
  return @prefix@_follow(*k, q, v, tau, measured, supply, *limits, *p, (@prefix@_real)@PREFIX@_PACE, h);
}

#endif
