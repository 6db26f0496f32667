"""Diagnostics of a state: means, scales and spectra, from sums over shells of one pass over the spectra."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import Array
from weft.dns.right_side import Evaluated, Scalar, Shells

# Numbers of a shell in the order of apps/dns/row_kernels.hpp.
_ENERGY, _ENSTROPHY, _ENERGY_OVER_K, _TRANSFER, _HELICITY, _DIVERGENCE = range(6)
_VELOCITY_SUMS = 6
_SCALAR_SUMS = 6


@dataclass(frozen=True)
class ScalarDiagnosis:
    """A scalar's means at one time.

    variance : <theta^2>. dissipation : chi = 2 kappa <|grad theta|^2>. flux : <u theta>, three components.
    production : -2 G . <u theta>. power : 2 <theta f> of the forces. batchelor_length : eta (kappa/nu)^(1/2).
    spectrum : theta^2/2 by shell. transfer : the rate at which flow and mean gradient bring theta^2/2 into shells.
    """

    name: str
    variance: float
    dissipation: float
    flux: tuple[float, float, float]
    production: float
    power: float
    batchelor_length: float
    spectrum: Array
    transfer: Array


@dataclass(frozen=True)
class Balance:
    """The budgets of the velocity and of each scalar at one time.

    amounts : the energy E, then <theta^2> of each scalar.
    rates   : their rates of change by the equations: power - eps, then production + power - chi of each scalar.
    """

    time: float
    amounts: Sequence[float]
    rates: Sequence[float]

    def residuals_since(self, before: Balance) -> list[float]:
        """Returns the change of each amount in a unit of time, less the mean of its rates at the two times.

        For the velocity this is dE/dt + eps - power. The mean is the trapezoidal rule. Therefore a residual is of
        second order in the time between, apart from errors of the scheme. NaN if no time has passed.
        """
        passed = self.time - before.time
        if not passed > 0:
            return [math.nan] * len(self.amounts)
        rates = [(now + then) / 2 for now, then in zip(self.rates, before.rates, strict=True)]
        changes = [(now - then) / passed for now, then in zip(self.amounts, before.amounts, strict=True)]
        return [change - rate for change, rate in zip(changes, rates, strict=True)]


@dataclass(frozen=True)
class Diagnosis:
    """A state's means, scales and spectra at one time, for the density 1.

    energy            : E = <|u|^2>/2, with the mean flow. enstrophy : <|curl u|^2>/2.
    dissipation       : eps = 2 nu enstrophy. helicity : <u . curl u>. power : <u . f> of the forces.
    transfer_sum      : the work of the nonlinear products on the flow, zero but for rounding.
    rms_velocity      : u' = (2 E / 3)^(1/2), without the mean flow.
    taylor_length     : lambda = (15 nu u'^2 / eps)^(1/2). reynolds : Re_lambda = u' lambda / nu.
    kolmogorov_length : eta = (nu^3 / eps)^(1/4). resolution : k_max eta, with the highest k that every axis keeps.
    integral_length   : pi / (2 u'^2) times the sum of E(k)/k.
    rate              : the largest sum of |u_a|/dx_a; the CFL number is the time step times `rate`.
    largest_speed     : the largest |u| at the points where products are formed.
    divergence        : <(div u)^2>^(1/2), zero but for rounding.
    k                 : the wavenumbers of the shells: dk times the shell's number.
    spectrum          : E(k) of each shell, so that sum(spectrum) * dk = E. flux : the energy per time that the
                        nonlinear products take from all shells up to k. helicity_spectrum, transfer : as E(k).
    """

    time: float
    energy: float
    enstrophy: float
    dissipation: float
    helicity: float
    power: float
    transfer_sum: float
    rms_velocity: float
    taylor_length: float
    reynolds: float
    kolmogorov_length: float
    resolution: float
    integral_length: float
    rate: float
    largest_speed: float
    divergence: float
    dk: float
    k: Array
    spectrum: Array
    transfer: Array
    flux: Array
    helicity_spectrum: Array
    scalars: tuple[ScalarDiagnosis, ...]

    @property
    def balance(self) -> Balance:
        """The budgets of the velocity and of each scalar."""
        amounts = (self.energy, *(scalar.variance for scalar in self.scalars))
        of_scalars = (scalar.production + scalar.power - scalar.dissipation for scalar in self.scalars)
        return Balance(self.time, amounts, (self.power - self.dissipation, *of_scalars))


@dataclass(frozen=True)
class Flow:
    """The constants that a diagnosis needs: of the fluid, and of its grid."""

    viscosity: float
    scalars: Sequence[Scalar]
    shells: Shells
    resolved_wavenumber: float


def diagnosis_of(flow: Flow, done: Evaluated, time: float, powers: Array) -> Diagnosis:
    """Returns the diagnosis from an evaluation with sums over shells, and from the powers of each equation's forces."""
    nu, dk, sums = flow.viscosity, flow.shells.width, done.sums
    total = sums.sum(axis=0)
    energy, enstrophy = float(total[_ENERGY]), float(total[_ENSTROPHY])
    dissipation = 2 * nu * enstrophy
    fluctuation = float(sums[1:, _ENERGY].sum())  # shell 0 has the mean flow
    rms = math.sqrt(2 * fluctuation / 3)
    taylor = math.sqrt(_ratio(15 * nu * rms**2, dissipation))
    kolmogorov = kolmogorov_length(nu, dissipation)
    transfer = sums[:, _TRANSFER] / dk
    return Diagnosis(
        time=time,
        energy=energy,
        enstrophy=enstrophy,
        dissipation=dissipation,
        helicity=float(total[_HELICITY]),
        power=float(powers[0]),
        transfer_sum=float(total[_TRANSFER]),
        rms_velocity=rms,
        taylor_length=taylor,
        reynolds=_ratio(rms * taylor, nu),
        kolmogorov_length=kolmogorov,
        resolution=flow.resolved_wavenumber * kolmogorov,
        integral_length=_ratio(math.pi * float(total[_ENERGY_OVER_K]), 2 * rms**2),
        rate=done.rate,
        largest_speed=done.speed,
        divergence=math.sqrt(float(total[_DIVERGENCE])),
        dk=dk,
        k=dk * np.arange(len(sums)),
        spectrum=sums[:, _ENERGY] / dk,
        transfer=transfer,
        flux=-np.cumsum(transfer) * dk,
        helicity_spectrum=sums[:, _HELICITY] / dk,
        scalars=tuple(_scalar(flow, i, sums, kolmogorov, float(powers[1 + i])) for i in range(len(flow.scalars))),
    )


def kolmogorov_length(viscosity: float, dissipation: float) -> float:
    """Returns eta = (nu^3 / eps)^(1/4): infinite without dissipation, NaN without viscosity."""
    return _ratio(viscosity**3, dissipation) ** 0.25


def _scalar(flow: Flow, number: int, sums: Array, kolmogorov: float, power: float) -> ScalarDiagnosis:
    scalar = flow.scalars[number]
    start = _VELOCITY_SUMS + _SCALAR_SUMS * number
    mine = sums[:, start : start + _SCALAR_SUMS]
    half_variance, half_gradient, _, *flux = (float(one) for one in mine.sum(axis=0))
    production = -2 * sum(g * f for g, f in zip(scalar.mean_gradient, flux, strict=True))
    dk = flow.shells.width
    return ScalarDiagnosis(
        name=scalar.name,
        variance=2 * half_variance,
        dissipation=4 * scalar.diffusivity * half_gradient,
        flux=(flux[0], flux[1], flux[2]),
        production=production,
        power=2 * power,
        batchelor_length=kolmogorov * math.sqrt(_ratio(scalar.diffusivity, flow.viscosity)),
        spectrum=mine[:, 0] / dk,
        transfer=mine[:, 2] / dk,
    )


def _ratio(numerator: float, denominator: float) -> float:
    """Returns the ratio. If the denominator is 0, infinite for a positive numerator, otherwise NaN."""
    if denominator == 0:
        return math.inf if numerator > 0 else math.nan
    return numerator / denominator
