/* Moves a pendulum through a recorded log with the actuator of actuator.h, and prints its angles.

   replay MASS LENGTH ZERO SUPPLY STEP < log.csv      time,goal,position,on; SI units */
#include <stdio.h>
#include <stdlib.h>

#include "actuator.h" /* pliant export ACTUATOR actuator.h --to c; here of the actuator named `servo` */

int main(int count, char **words) {
  static const servo_parameters p = SERVO_VALUES;
  double mass, length, zero, h, t, goal, q, on, next, next_goal, next_on, measured;
  double clock, v = 0.0, inertia;
  servo_input in = servo_at_rest(&p);
  servo_state s;
  if (count != 6) return 2;
  mass = atof(words[1]);
  length = atof(words[2]);
  zero = atof(words[3]);
  in.supply = atof(words[4]);
  h = atof(words[5]);
  inertia = mass * length * length;

  if (scanf("%lf,%lf,%lf,%lf", &t, &goal, &q, &on) != 4) return 2;
  if (servo_start(&s, &p, q, h)) return 3;
  printf("%.9f\n", q);
  for (clock = t; scanf("%lf,%lf,%lf,%lf", &next, &next_goal, &measured, &next_on) == 4;) {
    while (clock < next - 1e-9) {
      double load = -mass * 9.81 * length * sin(q + zero), tau, moved = inertia + servo_armature(p);
      servo_output out;
      in.goal = goal;
      in.on = on;
      in.q = q;
      in.v = v;
      in.load = load;
      in.inertia = inertia;
      out = servo_step(&s, &p, &in, h);
      tau = out.torque + load;
      tau += servo_friction(v, out.torque, load, out.budget, moved, h);
      v += tau / moved * h;
      q += v * h;
      clock += h;
    }
    printf("%.9f\n", q - v * (clock - next)); /* between two steps */
    goal = next_goal;
    on = next_on;
  }
  return 0;
}
