#!/usr/bin/env node
import '../dist/operator/reembed.js';
