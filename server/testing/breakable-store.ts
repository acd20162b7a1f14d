import { type Store, StoreUnavailableError } from '../ports/store.js';

/** A store that can be taken out of service: every call of what is down fails as if the store were out of reach. */
export class BreakableStore {
  readonly store: Store;
  down: 'nothing' | 'memories' | 'everything' = 'nothing';

  constructor(whole: Store) {
    const memories = this.guard(whole.memories, () => this.down !== 'nothing');
    const accounts = this.guard(whole.accounts, () => this.down === 'everything');
    const inbound = this.guard(whole.inbound, () => this.down === 'everything');
    const outside = this.guard(whole, () => this.down !== 'nothing');
    this.store = {
      memories,
      accounts,
      usage: whole.usage,
      audit: this.guard(whole.audit, () => this.down !== 'nothing'),
      subscriptions: this.guard(whole.subscriptions, () => this.down === 'everything'),
      inbound,
      outbound: this.guard(whole.outbound, () => this.down === 'everything'),
      transact: (organizationId, work) => outside.transact(organizationId, work),
      warm: () => outside.warm(),
      indexUse: () => whole.indexUse(),
      probe: () => outside.probe(),
      [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
    };
  }

  private guard<Part extends object>(part: Part, isDown: () => boolean): Part {
    return new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        // Nobody waits for it, so there is nobody to tell.
        if (name === 'noteTokenUse') return (...given: unknown[]) => isDown() || member.apply(target, given);
        return async (...given: unknown[]) => {
          if (isDown()) throw new StoreUnavailableError('the test took the store down');
          return member.apply(target, given);
        };
      },
    });
  }
}
