import 'vitest';
import type { Check } from '../checks/check.js';
import type { Profile } from '../world/profile.js';
import type { Options } from './options.js';

/** Messages between the process of the command and the worker that runs the suite. */
declare module 'vitest' {
  interface ProvidedContext {
    conformance: Options & { readonly checked: Profile };
  }
  interface TaskMeta {
    /** The id of the check that a test runs. */
    conformance?: Pick<Check, 'id' | 'section' | 'level' | 'requirement' | 'needs'>;
    /** True if a precondition of the check failed. */
    blocked?: boolean;
    /** True if the deployment lacks a capability that the check needs. */
    lacking?: boolean;
    /** `operationId status` of every answer so far. */
    seen?: string[];
    /** Failures of the clean-up. */
    troubles?: string[];
  }
}
