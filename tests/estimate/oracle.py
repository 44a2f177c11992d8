"""The estimator over again, from its text: whole signals by convolution, triangles by QR, nothing in place.

One joint on a pendulum; springs that change are left out.
"""

from collections import defaultdict
from math import hypot, inf, nan, sqrt

import numpy as np

STRIDE, TRIAL, TABLE = 4, 1e-3, 16
WARMING_UP, LEARNING, FROZEN, REJECTED, CANNOT_KNOW = range(5)
NEGATIVE, EXTRAPOLATED, OLDER, MISFIT, DAMPED, NEWER, _, BLOCKED, REOPENED = (
    2**bit for bit in range(9)
)


def boxes(count, width, dt, slopes):
    """`count` boxes, of which `slopes` are differences; oldest first."""
    mean, kernel = np.r_[0.5, np.ones(width - 1), 0.5] / width, np.ones(1)
    slope = np.r_[-1.0, np.zeros(width - 1), 1.0] / (width * dt)
    for k in range(count):
        kernel = np.convolve(kernel, slope if k < slopes else mean)
    return kernel


def padded(kernel, before, after):
    return np.r_[np.zeros(before), kernel, np.zeros(after)]


def under(kernel, x):
    """(N, …) `x` smoothed, of the newest samples up to each; NaN before there are enough."""
    out = np.full(np.shape(x), nan)
    windows = np.lib.stride_tricks.sliding_window_view(x, len(kernel), axis=0)
    out[len(kernel) - 1 :] = windows @ kernel  # the oldest first
    return out


def taps(places, order):
    """Weights of the samples at `places` that give a polynomial's derivative at zero."""
    factorial = float(np.prod(range(1, order + 1)))
    return np.linalg.solve(
        np.vander(places, increasing=True).T, factorial * np.eye(len(places))[order]
    )


def triangle(info, row, memory=1.0):
    """R and z with one more equation [psi | y]."""
    return np.linalg.qr(np.vstack([memory * info, row]), mode="r")[:-1]


def unknowns(info):
    return np.linalg.solve(info[:, :-1], info[:, -1])


def variance(info, row):
    w = np.linalg.solve(info[:, :-1].T, row)
    return float(w @ w)


def legendre_slope(k):
    """Mean square slope of the k-th Legendre polynomial, itself of mean square one."""
    slope = np.polynomial.Legendre.basis(k).deriv()
    square = (slope * slope).integ()
    return (2 * k + 1) * (square(1.0) - square(-1.0)) / 2.0


class Oracle:
    """Estimates of `log`, (N,) each by name; `cut` is that of mode "torque", where the mode is another."""

    def __init__(self, log, joint, mode, settings, inertia, gravity, cut=None):
        self.log, self.joint, self.mode, self.set = log, joint, mode, settings
        self.dt, self.cut = log.dt, cut
        self.smooth = mode == "paper" and settings.smooth_first
        self.published = mode == "paper" and not settings.smooth_first
        self.b = len(joint.terms)
        self.window = 4.0 if self.published else float(settings.boxes * settings.width)
        self.memory = 1.0 if settings.memory is None else np.exp(-0.5 * self.dt / settings.memory)
        self.signals(inertia, gravity)
        self.learned()

    # The positions as known functions of time

    def terms(self, q, theta, terms, order=0):
        """(N, b) Basis functions, or a derivative of them by phi / phi_scale."""
        columns = []
        for motor, power, of_x, _ in terms:
            phi = (q - theta[:, motor]) / self.joint.deflection_scale
            poly = np.polynomial.Polynomial.basis(power).deriv(order) if order else None
            x = (theta[:, 1] / self.joint.adjuster_scale) ** of_x if of_x else 1.0
            columns.append((phi**power if poly is None else poly(phi)) * x)
        return np.stack(columns, -1)

    def signals(self, inertia, gravity):
        log, one, dt = self.log, self.set, self.dt
        q, theta = log.q[:, 0], log.theta
        channels = np.column_stack([q, theta])
        k0, k1, k2 = (boxes(one.boxes, one.width, dt, d) for d in range(3))
        match = np.array([-1.0, 14.0, -1.0]) / 12.0
        self.newest_basis = self.terms(q, theta, self.joint.terms)
        self.newest_slope = self.terms(q, theta, self.joint.terms, 1)
        bends = []  # its change with each position
        for step in 1e-5 * np.eye(channels.shape[1]):
            ahead, behind = (
                self.terms(x[:, 0], x[:, 1:], self.joint.terms, 1)
                for x in (channels + step, channels - step)
            )
            bends.append((ahead - behind) / 2e-5)
        self.bends = np.stack(bends, 1)
        scale, count = self.joint.torque_scale, len(q)
        friction = []
        if self.mode == "paper":
            self.rows_noise = self.momentum_noise = 0.0
            if self.smooth:
                mean = padded(k0, 3, 0)
                q = under(mean, q)
                apart = np.arange(4) - 1.5
                rate = taps(apart, 1)
                # too low as the third difference is: by (omega T)^2 / 8
                rate += taps(apart, 3) / 8.0
                position, acceleration = taps(apart, 0), np.array([1.0, -1.0, -1.0, 1.0]) / 2.0
                self.length = len(mean)
                rates = np.convolve(k0, rate / dt)
                self.rows = self.rates = under(rates, self.newest_basis)
                self.rows_noise = float(rates @ rates)
            else:
                position, rate = np.array([1.0, 0, 0, 0]), np.array([-1.0, 1, 0, 0])
                acceleration = np.array([1.0, -2, 1, 0])
                self.length = one.boxes * one.width + 4
            jerk = np.array([-1.0, 3, -3, 1])
            q0, v = under(position, q), under(rate, q) / dt
            self.acceleration = under(acceleration, q) / dt**2
            torque_rate = -(inertia * under(jerk, q) / dt**3 + gravity * np.cos(q0) * v)
            self.y = torque_rate / scale
            self.speed = np.full(count, 1e9)
            if self.published:
                late = np.roll(channels, 3, axis=0), np.roll(channels, 2, axis=0)
                (old_q, old_m), (new_q, new_m) = ((c[:, 0], c[:, 1:]) for c in late)
                self.rows = self.rates = self.published_rates(old_q, old_m, new_q, new_m)
            if one.friction:
                friction = [self.acceleration]
            self.begin = 5 if self.published else self.length + 4
        else:
            v = under(taps(np.arange(5) - 2.0, 1), q) / dt
            centre_q, centre_m = np.roll(q, 2), np.roll(theta, 2, axis=0)
            basis = self.terms(centre_q, centre_m, self.joint.terms)
            more = self.terms(centre_q, centre_m, self.joint.lacked)
            self.centre_slope = self.terms(centre_q, centre_m, self.joint.terms, 1)
            for held in (basis, more, self.centre_slope):
                held[:4] = nan
            rest = np.where(np.isnan(v), nan, gravity * np.sin(centre_q))
            less, rows = (k1, k0) if self.mode == "torque" else (k2, k1)
            self.row_kernel = np.convolve(rows, match)
            momenta, mean, rate = (padded(k, 1, 1) for k in (less, k0, k1))
            self.length = len(mean)
            self.rows, self.rates = under(self.row_kernel, basis), under(rate, basis)
            self.more = under(self.row_kernel, more)
            self.speed, self.v = under(mean, v), v
            self.y = -(under(momenta, inertia * v) + under(self.row_kernel, rest)) / scale
            if one.friction:
                friction = [under(self.row_kernel, v)]
                if self.mode == "torque":
                    friction += [np.tanh(self.speed / one.coulomb_speed), np.ones(count)]
            differences = np.convolve(momenta, taps(np.arange(5) - 2.0, 1) / dt)
            self.momentum_noise = float(differences @ differences)
            self.rows_noise = float(self.row_kernel @ self.row_kernel)
            self.inertia = inertia
            self.begin = self.length + 4
        self.psi = np.column_stack([self.rows, *friction])
        self.p = self.psi.shape[1]
        self.fourth = under(np.array([1.0, -4.0, 6.0, -4.0, 1.0]), channels)
        five = np.lib.stride_tricks.sliding_window_view(channels, 5, axis=0)
        self.fourth[4:][np.ptp(five, axis=-1) == 0.0] = nan  # an encoder that stands on one step

    def published_rates(self, q, theta, q1, theta1):
        """d basis/dt with positions three samples old and speeds by the next."""
        phi_s, columns = self.joint.deflection_scale, []
        for motor, j, m, _ in self.joint.terms:
            phi, dphi = (q - theta[:, motor]) / phi_s, (q1 - q - theta1[:, motor] + theta[:, motor])
            dphi = dphi / (self.dt * phi_s)
            x = dx = np.zeros(len(q))
            if self.joint.kind == "svsa":
                x = theta[:, 1] / self.joint.adjuster_scale
                dx = (theta1[:, 1] - theta[:, 1]) / (self.dt * self.joint.adjuster_scale)
            by_x = m * x ** max(m - 1, 0) if m else 0.0
            columns.append(j * phi ** (j - 1) * dphi * x**m + phi**j * by_x * dx)
        return np.stack(columns, -1)

    # What is learned of them, sample by sample

    def learned(self):
        s, p, e = self.set, self.p, len(self.joint.lacked)
        prior = 1.0 / sqrt(s.prior)
        self.info = np.column_stack([prior * np.eye(p), np.zeros(p)])
        self.trial = np.column_stack([TRIAL * prior * np.eye(p + 1 + e), np.zeros(p + 1 + e)])
        if self.mode != "torque":
            self.trial = np.column_stack([TRIAL * prior * np.eye(p + 1), np.zeros(p + 1)])
        self.x = np.zeros(p)
        self.var = self.power = self.hold = self.refused = self.left_out = self.below = 0.0
        self.count, self.tried, self.known_lack, self.next = 0, 0.0, 0.0, 0
        self.encoder, self.pushed, self.moved = np.zeros(self.fourth.shape[1]), 0.0, 0.0
        self.residuals, self.products = [], np.zeros(4)
        self.table, self.trained = np.zeros((TABLE, self.b)), np.zeros(TABLE)
        self.sigma, self.misfit, self.skew = nan, nan, nan
        self.held = np.full(len(self.y), nan)
        self.out = defaultdict(list)
        self.floor = 0.0 if self.mode == "paper" else s.torque_floor
        unit = self.joint.torque_scale / self.joint.deflection_scale
        for k in range(len(self.y)):
            for c, d in enumerate(self.fourth[k]):
                if d == d:
                    self.encoder[c] += (d * d / 70.0 - self.encoder[c]) / 500.0
            if self.mode != "paper" and k >= 4:
                self.pushed += ((self.inertia * self.v[k]) ** 2 - self.pushed) / 500.0
                self.moved += (self.v[k] ** 2 - self.moved) / 500.0
                here = self.centre_slope[k] @ self.x[: self.b]
                self.held[k] = here * self.v[k] / self.joint.deflection_scale
            if k + 1 < self.begin:
                self.residuals.append(nan)
                for name in ("sigma", "std", "torque", "rotatum", "leverage", "skew", "misfit"):
                    self.out[name].append(nan)
                self.out["status"].append(WARMING_UP)
                for name in ("cut", "flags"):
                    self.out[name].append(0.0)
                continue
            self.sample(k, self.learn(k), unit)
        self.out = {name: np.array(column) for name, column in self.out.items()}

    def learn(self, k):
        s, p, row, y = self.set, self.p, self.psi[k], self.y[k]
        self.residuals.append(nan)
        self.reopened = False
        steady = 0.0 if self.mode == "paper" else s.steady_speed
        if abs(self.speed[k]) < steady:
            return FROZEN
        error = y - row @ self.x
        square = error**2 / (1.0 + self.window * variance(self.info, row))
        gate = 0.0 if self.mode == "paper" else s.gate**2
        if gate > 0.0 and self.count > 10.0 * self.window and self.refuses(gate, square):
            return REJECTED
        self.residuals[-1] = error
        part = max(min(4.0 / (self.count + 1.0), 1.0), 1e-4)
        for n in range(4):
            lag = self.length + n * self.length * 2 // 6
            other = self.residuals[-1 - lag] if lag < len(self.residuals) else nan
            if other == other:
                self.products[n] += (error * other - self.products[n]) * part
        self.count += 1
        weight = min(self.count, 2000.0)
        self.var += (square - self.var) / weight
        self.power += (y**2 - self.power) / weight
        if self.mode == "torque" and self.count > 50.0 * self.window and self.count % STRIDE == 0:
            self.attempt(k)
        self.info = triangle(self.info, np.r_[row, y], self.memory)
        if self.memory < 1.0:
            back = sqrt(p * (1.0 - self.memory**2) / s.prior)
            self.info = triangle(self.info, back * np.eye(p + 1)[self.count % p])
        self.x = unknowns(self.info)
        return LEARNING

    def refuses(self, gate, square):
        if square > gate * max(self.var, self.floor**2):
            self.hold = self.window
        if self.hold <= 0.0:
            self.refused = max(0.0, self.refused - self.dt)
            return False
        self.hold -= 1.0
        self.refused += self.dt
        self.info = self.info * self.memory
        if self.refused < self.set.patience:
            return True
        self.info = self.info * sqrt(min(self.window / min(self.count, 1e4), 1.0))
        self.trial = np.column_stack(
            [TRIAL / sqrt(self.set.prior) * np.eye(len(self.trial)), np.zeros(len(self.trial))]
        )
        self.reopened = True
        self.tried = self.known_lack = self.hold = self.refused = 0.0
        self.count = max(min(self.window, self.count), int(10.0 * self.window) + 1)
        self.trained = np.array([self.leverage(row) for row in self.table])
        return False

    def leverage(self, slope):
        return variance(self.info, np.r_[slope, np.zeros(self.p - self.b)])

    def attempt(self, k):
        memory, width = self.memory**STRIDE, len(self.trial)
        motors = self.rates[k] @ self.x[: self.b]
        motors -= self.row_kernel @ self.held[k + 1 - self.length : k + 1]
        row = np.r_[self.psi[k], motors, self.more[k], self.y[k]]
        self.trial = triangle(self.trial, row, memory)
        self.tried = memory**2 * self.tried + 1.0
        if self.memory < 1.0:
            back = TRIAL * sqrt(width * (1.0 - memory**2) / self.set.prior)
            self.trial = triangle(
                self.trial, back * np.eye(width + 1)[self.count // STRIDE % width]
            )

    # How sure that is

    def lasting(self, sure):
        chance = sqrt(min(self.window / min(max(self.count, 1.0) / 4.0, 1e4), 1.0))
        found = np.max(np.abs(self.products)) - sure * self.var * chance
        return min(max(found, 0.0), self.var)

    def lacking(self):
        found = float(np.sum(self.trial[self.p + 1 :, -1] ** 2))
        chance = 9.0 * self.var * max(self.window / 8.0, 1.0)
        if chance > 0.0:
            found *= min(max(found / chance - 1.0, 0.0), 1.0)
        return max(found / max(self.tried, 1.0), self.known_lack)

    def deflection_noise(self):
        motors = {term.motor for term in self.joint.terms}
        return self.encoder[0] + max(self.encoder[1 + motor] for motor in motors)

    def left(self, every):
        """Sum of squares that the basis leaves out of all equations."""
        encoders = inf
        if not self.published:
            inertia = self.pushed / self.moved if self.moved else 0.0
            encoders = self.momentum_noise * inertia * self.encoder[0]
            stiff = 0.0 if self.sigma != self.sigma else self.sigma**2
            encoders += self.rows_noise * stiff * self.deflection_noise()
            encoders /= self.joint.torque_scale**2
        beyond = max(self.lasting(3.0), self.var - 2.0 * encoders, 0.0)
        count = 1.0 / self.dt if self.published else min(every, 1e4)
        return max(count * beyond, every * self.lacking())

    def sample(self, k, status, unit):
        s, slope, out, looked = self.set, self.newest_slope[k], self.out, (k + 1) % STRIDE == 0
        sigma = unit * (slope @ self.x[: self.b])
        here = self.leverage(slope)
        if status == LEARNING:
            if looked:
                self.trained[self.next] = self.leverage(self.table[self.next])
                self.next = (self.next + 1) % TABLE
            least = int(np.argmin(self.trained))
            if here > self.trained[least]:
                self.table[least], self.trained[least] = slope, here
        most = np.max(self.trained)
        every = self.count
        if self.memory < 1.0:
            every = min(every, 1.0 / (1.0 - self.memory**2))
        if looked:
            self.left_out = self.left(every)
        powers, further = self.joint.powers, self.joint.lacked[0].power
        steep = legendre_slope(further) / sum(legendre_slope(j) for j in powers)
        cut = here * steep * self.left_out
        phi_s = self.joint.deflection_scale
        if self.published:
            shared = 4.0 / sqrt(20.0) * sqrt(self.var * self.encoder[0]) / (self.dt * phi_s)
            blurred = every * here * shared
        else:
            noise = every * self.rows_noise * self.deflection_noise() / phi_s**2
            share = min(noise / self.info[0, 0] ** 2, 0.9)
            blurred = 0.6 * here * noise * abs(sigma / unit) / (1.0 - share)
        noise = self.window * here
        coarse = (self.bends[k] @ self.x[: self.b]) ** 2 @ self.encoder
        std = unit * sqrt(noise * self.var + cut + coarse + blurred**2)
        told = self.cut[k] if self.cut is not None else unit * sqrt(cut)
        settled = self.count >= 50.0 * self.window
        if self.cut is None and settled and self.var >= 0.5 * self.power:
            told = inf
        if self.cut is not None:
            std = hypot(std, told)
        at_least = unit * sqrt(noise * max(self.var, self.floor**2))
        expected = self.count > 2.0 * self.window and at_least < 0.5 * abs(sigma)
        known = expected and told < inf
        scale = self.joint.torque_scale
        if looked:
            lasts = self.lasting(5.0)
            power = self.power - self.var + lasts
            self.misfit = sqrt(lasts / power) if power > 0.0 else nan
            self.skew = 0.0
        self.sigma = sigma if known else nan
        if told == inf:
            self.misfit = sqrt(self.var / self.power)
        if not known:
            status = WARMING_UP if status == LEARNING and told < inf else CANNOT_KNOW
        leverage = here / most if most > 0.0 else nan
        flags = BLOCKED * (self.refused > 3.0) | REOPENED * self.reopened | MISFIT * (told == inf)
        if expected and self.count > 50.0 * self.window:
            negative = self.sigma < -3.0 * at_least
            if leverage > s.warn_leverage:
                flags |= EXTRAPOLATED * (status != LEARNING)
            else:
                if status == LEARNING:
                    self.below += self.dt if negative else -self.below * self.dt / 10.0
                flags |= NEGATIVE * (negative and self.below > 0.5)
            if looked:
                flags |= MISFIT * (self.misfit > s.warn_misfit)
            if looked and self.mode != "paper" and self.sigma > 0.0:
                flags |= self.late(self.sigma)
        out["sigma"].append(self.sigma)
        out["std"].append(std if known else nan)
        out["torque"].append(scale * (self.newest_basis[k] @ self.x[: self.b]) if known else nan)
        out["rotatum"].append(scale * (self.rates[k] @ self.x[: self.b]) if known else nan)
        out["leverage"].append(leverage)
        out["misfit"].append(self.misfit)
        out["skew"].append(self.skew)
        out["status"].append(status)
        out["cut"].append(told)
        out["flags"].append(flags)

    def late(self, sigma):
        """What the motors' delay means: that of the trial, or the least that negative friction does."""
        noise = self.window * max(self.var, (0.1 * self.floor) ** 2)
        trial = self.trial[self.p, -1] / self.trial[self.p, self.p]
        deviation = sqrt(noise / min(self.window, STRIDE)) / abs(self.trial[self.p, self.p])
        friction, taken = -self.x[self.b] if self.set.friction else 0.0, 0.0
        if friction > 0.0:
            spread = sqrt(noise * variance(self.info, np.eye(self.p)[self.b]))
            if friction >= 5.0 * spread:
                taken = friction * self.joint.torque_scale / sigma
        shown = abs(trial) > 5.0 * deviation and abs(trial) > self.set.warn_skew
        self.skew = trial if shown else taken
        if self.skew < 0.0:
            return NEWER
        return OLDER if taken > self.set.warn_skew else DAMPED * (self.skew > self.set.warn_skew)
