"""The compiled code: what MuJoCo calls in each step, and the helpers that it calls.

Every file here is part of the fingerprint that makes plugins compile anew: what no callback uses
lives in `plugin` or above.
"""
