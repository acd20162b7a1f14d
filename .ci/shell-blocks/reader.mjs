import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../documents.mjs';
import { Shell } from './shell.mjs';
import { compareShown } from './shown.mjs';

/** The files of a built checkout that the documents use. */
const CHECKOUT = [
  'ai-sdk',
  'cli',
  'conformance',
  'docs',
  'examples',
  'langgraph',
  'mcp',
  'node_modules',
  'sdk',
  'server',
];
/** A reader takes an hour for what is typed here in a minute. */
const LIMITS = {
  SERVICE_RATE_LIMIT_INGEST: '1000',
  SERVICE_RATE_LIMIT_SEARCH: '1000',
  SERVICE_RATE_LIMIT_ADMIN: '1000',
};
/** A command that runs until Ctrl-C, and the output that shows that it works. */
const SERVES = { command: /^npm start$/, says: /stored in data\/credentials\.json$/m };
const FOLLOWS = { command: / --follow\b/, says: /^\{.*\}$/m };
/** How many characters of a failed command's output are reported. */
const LAST_WORDS = 600;
/** 128 and the number of SIGINT, as the shell and the programs have it, or the signal itself. */
const STOPPED = [130, 'SIGINT'];

/**
 * Types what the documents say into one terminal, where README.md comes first: it starts the server and exports where that
 * is, and each page begins with what README.md has exported.
 */
export class Reader {
  #folder;
  #exports;
  #receiver;
  #page = 'README.md';
  #settings = { ...LIMITS };
  #server;
  #service;

  /** `folder` is an empty one, `receiver` stands in for an endpoint in the documents. */
  constructor(folder, receiver) {
    this.#folder = folder;
    this.#exports = join(folder, 'terminal/exports');
    this.#receiver = receiver;
  }

  /** Lays out the checkout. Its build script does nothing, since it is built. */
  async prepare() {
    await mkdir(join(this.#folder, 'terminal'));
    await writeFile(this.#exports, '');
    await Promise.all(CHECKOUT.map((name) => symlink(join(ROOT, name), join(this.#folder, name))));
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    manifest.scripts.build = 'true';
    await writeFile(join(this.#folder, 'package.json'), JSON.stringify(manifest));
  }

  /** Types a block. Resolves to what was not as it must be, in words. */
  async type(block) {
    if (block.document !== this.#page) await this.#turnTo(block.document);
    this.#settings.EXPECTED_ANSWER = block.shown?.isRefusal ? '4' : '2';
    const code = this.#ownValues(block.code).trimEnd();
    const foreign = /https?:\/\/(?!127\.0\.0\.1\b)[^\s"']+/.exec(code)?.[0];
    if (foreign) return [`asks ${foreign}, which is not this machine`];

    const { output, fault } = await this.#run(code);
    if (fault) return [fault];
    await this.#take(block.document, output);
    return block.shown ? compareShown(block.shown, output) : [];
  }

  async leave() {
    await this.#server?.interrupt();
  }

  async #turnTo(page) {
    const ofReadme = join(this.#folder, 'terminal/exports-of-readme');
    await copyFile(...(this.#page === 'README.md' ? [this.#exports, ofReadme] : [ofReadme, this.#exports]));
    this.#page = page;
    // The server has its store for itself.
    this.#settings = page === 'docs/billing.md' ? { ...LIMITS, SERVICE_DATA_DIR: 'other-data' } : { ...LIMITS };
  }

  /** Replaces the documents' addresses and tokens with real ones. */
  #ownValues(code) {
    const { baseUrl = '', token = '' } = this.#service ?? {};
    return code
      .replaceAll(/https?:\/\/(?:127\.0\.0\.1:8080|memory\.example\.com)\b/g, baseUrl)
      .replaceAll(/msk_(?:…|\.\.\.)/g, token)
      .replaceAll('https://example.com/hook', this.#receiver.url);
  }

  /** Runs a block, whose last command may be one that goes on until Ctrl-C. */
  async #run(code) {
    const last = code.split('\n').at(-1);
    const goesOn = [SERVES, FOLLOWS].find(({ command }) => command.test(last));
    if (!goesOn) return this.#toEnd(code);
    const before = await this.#toEnd(code.slice(0, -last.length));
    if (before.fault) return before;

    const shell = this.#shell(last);
    if (!(await shell.says(goesOn.says))) return told(shell, `ended with ${await shell.end()}`);
    if (goesOn === SERVES) {
      this.#server = shell;
      this.#service = JSON.parse(await readFile(join(this.#folder, 'data/credentials.json'), 'utf8'));
    } else {
      const outcome = await shell.interrupt();
      if (!STOPPED.includes(outcome)) return told(shell, `stopped by Ctrl-C, it ended with ${outcome}`);
    }
    return { output: before.output + shell.output };
  }

  async #toEnd(code) {
    const shell = this.#shell(code);
    const outcome = await shell.end();
    return outcome === 0 ? { output: shell.output } : told(shell, `ended with ${outcome}`);
  }

  #shell(code) {
    const { PATH } = process.env;
    const terminal = join(this.#folder, 'terminal');
    const settings = Object.entries(this.#settings).map(([name, value]) => `export ${name}='${value}'`);
    return new Shell([...settings, code].join('\n'), {
      cwd: this.#folder,
      // A command that the package does not have must not be one of a stranger's package.
      env: { PATH, HOME: terminal, PORT: '0', SHELL_BLOCKS: terminal, npm_config_offline: 'true' },
    });
  }

  /** Values from an answer that the rest of the page uses. */
  async #take(page, output) {
    if (page !== 'docs/webhooks-outbound.md' || this.#settings.WEBHOOK) return;
    const { id: WEBHOOK } = JSON.parse(output);
    Object.assign(this.#settings, { WEBHOOK, DELIVERY: await this.#receiver.failDelivery(this.#service, WEBHOOK) });
  }
}

function told({ output, errors }, fault) {
  const words = [output, errors].map((text) => text.trim().slice(-LAST_WORDS));
  return { output, fault: [fault, ...words.filter((text) => text !== '')].join('\n') };
}
