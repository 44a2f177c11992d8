"""The streaming core of the stiffness estimator, compiled: one sample in, one estimate out.

    1. `place`      newest positions into the window; the motion at the centre of the last few
    (outside)       rigid-body terms at that motion, from any dynamics
    2. `advance`    basis functions and terms into the history, both sides of the regression
                    smoothed by one kernel, gates, least squares, and the output at the newest
                    positions

Nothing is allocated; cost is linear in joints. Text: stiffness estimation, sections 2 and 5.

    state       numbers that stay, all that changes, and where both lie in one buffer
    window      newest positions, motion at the centre, histories under kernels
    basis       torque of the springs as a sum of known functions; recursive least squares in
                square-root information form
    noise       what of the residual averages out, and what lasts
    change      a spring that has changed
    learning    one equation per sample, and whether it is learned
    output      stiffness, deviation, torque, rotatum, leverage; what the numbers say against
                the data
    stream      the two steps above
    entries     the same, compiled and kept on disk
"""
