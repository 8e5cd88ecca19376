#!/bin/sh
# Installs Daft and Ray beside a Python: about 600 MB.
exec "${1:-.venv/bin/python}" -m pip install -q 'daft>=0.7' 'ray[client]>=2.50'
