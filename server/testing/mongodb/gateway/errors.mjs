// Translates failures into MongoDB's errors.

/** A failure that the gateway itself reports. */
export class CommandError extends Error {
  constructor(code, codeName, message, labels = []) {
    super(message);
    Object.assign(this, { code, codeName, labels });
  }
}

export function noSuchTransaction(message) {
  return new CommandError(251, 'NoSuchTransaction', message, ['TransientTransactionError']);
}

/** Maps SQL states to the codes and names of MongoDB. */
const CODES = {
  23505: [11000, 'DuplicateKey'],
  M001C: [11000, 'DuplicateKey'],
  M000E: [43, 'CursorNotFound'],
  M000F: [48, 'NamespaceExists'],
  40001: [112, 'WriteConflict'],
  '40P01': [112, 'WriteConflict'],
  '55P03': [112, 'WriteConflict'],
  '25P02': [251, 'NoSuchTransaction'],
  '25P03': [251, 'NoSuchTransaction'],
  57014: [50, 'MaxTimeMSExpired'],
};
const TRANSIENT = new Set([112, 251]);

export function errorReply(error, command) {
  const [code, codeName] = error instanceof CommandError ? [error.code, error.codeName] : codeOf(error);
  const isInTransaction = command?.autocommit === false;
  const labels = new Set(error.labels ?? []);
  if (isInTransaction && TRANSIENT.has(code)) labels.add('TransientTransactionError');
  const state = error.code && !(error instanceof CommandError) ? ` (SQLSTATE ${error.code})` : '';
  return {
    ok: 0,
    errmsg: `${error.message}${state}`,
    code,
    codeName,
    ...(labels.size > 0 && { errorLabels: [...labels] }),
  };
}

/** An upsert with the current time fails like this if another client inserts its document at the same moment. */
const INSERTED_MEANWHILE = /\$\$NOW operator cannot be used/;

function codeOf({ code, message }) {
  if (INSERTED_MEANWHILE.test(message)) return [11000, 'DuplicateKey'];
  return CODES[code] ?? unknownCode(code);
}

/** Engine errors, such as conflicts between two of its processes, are not errors of the command. */
function unknownCode(state) {
  return /^(?:XX|5[3578])/.test(state ?? '') ? [112, 'WriteConflict'] : [2, 'BadValue'];
}

/** The reply to a write reports failures of single documents as SQL states, five characters packed into an integer. */
export function withMongoCodes(reply) {
  for (const failure of reply.writeErrors ?? []) {
    const [code] = CODES[unpackState(failure.code)] ?? [2];
    failure.code = code;
    if (code !== 11000) continue;
    const index = /Index '([^']+)'/.exec(failure.errmsg)?.[1] ?? 'unknown';
    failure.errmsg = `E11000 duplicate key error index: ${index} (${failure.errmsg})`;
  }
  return reply;
}

function unpackState(packed) {
  return Array.from({ length: 5 }, (_, at) => String.fromCharCode(((packed >> (6 * at)) & 0x3f) + 48)).join('');
}
