import 'vitest';
import type { Check } from '../checks/check.js';
import type { Profile } from '../world/profile.js';
import type { Options } from './options.js';

/** What the process of the command and the worker that runs the suite tell each other. */
declare module 'vitest' {
  interface ProvidedContext {
    conformance: Options & { readonly checked: Profile };
  }
  interface TaskMeta {
    /** Of the check that a test runs. */
    conformance?: Pick<Check, 'id' | 'section' | 'level' | 'requirement' | 'needs'>;
    /** Whether the check could not come as far as looking. */
    blocked?: boolean;
    /** `operationId status` of every answer so far. */
    seen?: string[];
    /** What the clean-up could not do. */
    troubles?: string[];
  }
}
