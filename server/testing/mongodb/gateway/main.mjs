// A MongoDB endpoint for tests: the wire protocol in front, DocumentDB in PostgreSQL behind. Forwards commands and
// translates where DocumentDB differs from MongoDB Atlas. It has no authentication and no TLS: it listens on this
// machine only.
//
// GATEWAY_PORT and ENGINE_PORT are the ports of both. GATEWAY_DEBUG=1 prints every command that failed.
import net from 'node:net';
import pg from 'pg';
import { Commands } from './commands.mjs';
import { errorReply } from './errors.mjs';
import { Framer, readMessage, writeReply } from './wire.mjs';

const { GATEWAY_PORT = '27018', ENGINE_PORT = '9713', GATEWAY_DEBUG } = process.env;

const pool = new pg.Pool({
  host: '127.0.0.1',
  port: Number(ENGINE_PORT),
  user: 'postgres',
  database: 'postgres',
  max: 150,
  // A cursor must outlive the connection that opened it. A graph that does not fit into memory takes long to build.
  options: '-c documentdb.useFileBasedPersistedCursors=on -c maintenance_work_mem=1GB',
});
pool.on('error', () => {});
const commands = new Commands(pool);

async function answer(bytes) {
  const message = readMessage(bytes);
  try {
    return writeReply(message, await commands.run(message));
  } catch (error) {
    if (GATEWAY_DEBUG) console.error(JSON.stringify(message.command), error);
    return writeReply(message, errorReply(error, message.command));
  }
}

const server = net.createServer((socket) => {
  const framer = new Framer();
  let last = Promise.resolve();
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    for (const bytes of framer.take(chunk)) {
      // Answers are sent in the order of the requests.
      last = last
        .then(() => answer(bytes))
        .then(
          (reply) => reply && socket.write(reply),
          () => socket.destroy(),
        );
    }
  });
});
server.listen(Number(GATEWAY_PORT), '127.0.0.1', () => console.log(`mongodb://127.0.0.1:${GATEWAY_PORT}/`));
