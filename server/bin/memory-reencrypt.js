#!/usr/bin/env node
import '../dist/operator/reencrypt.js';
