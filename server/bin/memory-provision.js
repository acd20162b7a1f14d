#!/usr/bin/env node
import '../dist/operator/provision.js';
