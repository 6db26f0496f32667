"""A small case file for the turbulence solver (weft.dns). Tests change it and run it."""

SMALL = """
[grid]
shape = [12, 10, 12]
[fluid]
viscosity = 0.05
[time]
until = 0.2
dt = 0.02
[velocity]
kind = "taylor-green"
[[scalar]]
name = "theta"
diffusivity = 0.1
kind = "blob"
[[output]]
kind = "budget"
file = "budget.csv"
time = 0.1
[[output]]
kind = "fields"
file = "fields.npy"
steps = 5
names = ["theta", "u"]
"""
