import type { ClientSession } from 'mongodb';
import { foldEmail } from '../../../domain/account/email.js';
import { DuplicateUserError, type User } from '../../../ports/account-store.js';
import type { Collections, UserDocument } from '../engine/collections.js';
import { isDuplicateKey, OutdatedReadError } from '../engine/errors.js';

type Users = Pick<Collections, 'users'>;

/**
 * @throws {DuplicateUserError}
 * @throws {OutdatedReadError} when another transaction took the address meanwhile
 */
export async function insertUser({ users }: Users, user: User, session: ClientSession): Promise<void> {
  const { id, ...rest } = user;
  const foldedEmail = foldEmail(user.email);
  // A violated unique index aborts the transaction, so the unit checks first.
  if (await users.findOne({ foldedEmail }, { session })) throw new DuplicateUserError('the address is taken');
  try {
    await users.insertOne({ _id: id, ...rest, foldedEmail }, { session });
  } catch (error) {
    // When the transaction is retried, it sees the other user.
    throw isDuplicateKey(error) ? new OutdatedReadError() : error;
  }
}

export async function findUser(
  { users }: Users,
  filter: { _id: string } | { foldedEmail: string },
  session?: ClientSession,
): Promise<User | undefined> {
  const found = await users.findOne(filter, { ...(session && { session }) });
  return found ? toUser(found) : undefined;
}

function toUser({ _id, email, passwordHash, signInPlaces }: UserDocument): User {
  return {
    id: _id,
    email,
    ...(passwordHash !== undefined && { passwordHash }),
    ...(signInPlaces !== undefined && { signInPlaces }),
  };
}
