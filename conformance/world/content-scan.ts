import type { Answer } from '../transport/answer.js';
import { MissingCapabilityError } from '../transport/prerequisite.js';
import type { MemoryRequests } from './memory-requests.js';

/** Invented secrets, assembled here so that no source scanner reports them. */
export const RISKS = {
  'api-key': { text: `AKIA${'QXB7JT2M4ZPLW6CV'}`, reason: 'api_key' },
  card: { text: ['4111', '1111', '1111', '1111'].join(' '), reason: 'payment_card' },
  email: { text: ['ana.lopez', 'mail-of-ana.com'].join('@'), reason: 'email' },
} as const;

/** Finds out if a deployment scans contents. */
export class ContentScan {
  private asked: Promise<boolean> | undefined;

  constructor(private readonly run: Pick<MemoryRequests, 'ingest' | 'upsert' | 'unique'>) {}

  /** @throws {MissingCapabilityError} if no write rejects an invented secret */
  async required(): Promise<void> {
    this.asked ??= this.ask();
    if (!(await this.asked)) {
      throw new MissingCapabilityError('the content scan is off: every invented secret was accepted');
    }
  }

  /** A deployment that rejects any of them has a scan, which may be broken elsewhere. */
  private async ask(): Promise<boolean> {
    for (const { text } of Object.values(RISKS)) {
      const content = () => `${this.run.unique('scanned')} ${text}`;
      if (isRejected(await this.run.ingest({ content: content() }))) return true;
      if (isRejected(await this.run.upsert({ content: content() }))) return true;
    }
    return false;
  }
}

function isRejected({ status }: Answer): boolean {
  return status === 422;
}
