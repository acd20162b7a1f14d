import { readFile } from 'node:fs/promises';
import { startConfined } from './confined.mjs';

/** The containers of an image whose files are a folder. Nothing can be written but its volume. */
export class FolderImage {
  #root;
  #where;
  #container;
  #server;

  constructor(root, container) {
    const { env, user, workdir, volumes } = container;
    this.#root = root;
    this.#container = container;
    this.#where = { env, user, workdir, writable: volumes[0] };
  }

  run(settings, ...command) {
    return this.#begin(settings, command.length > 0 ? command : this.#container.command).end();
  }

  async start(settings) {
    this.#server = this.#begin(settings, this.#container.command);
  }

  inside(settings, ...command) {
    return this.run(settings, ...command);
  }

  health(settings) {
    return this.run(settings, ...this.#container.health);
  }

  async program() {
    return readFile(`/proc/${await this.#server.pid()}/cmdline`, 'utf8');
  }

  async log() {
    return this.#server.output;
  }

  async stop() {
    await this.#server.signal(this.#container.stopSignal);
    return (await this.#server.end()).code;
  }

  #begin(settings, command) {
    const env = { ...this.#where.env, ...settings };
    return startConfined(this.#root, { ...this.#where, env }, command);
  }
}
