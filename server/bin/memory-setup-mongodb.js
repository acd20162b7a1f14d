#!/usr/bin/env node
import '../dist/operator/setup-mongodb.js';
