import type { ClientSession } from 'mongodb';
import { foldEmail } from '../../../domain/account/email.js';
import { DuplicateUserError, type User } from '../../../ports/account-store.js';
import type { Collections, UserDocument } from '../engine/collections.js';
import { isDuplicateKey, OutdatedReadError } from '../engine/errors.js';

type Users = Pick<Collections, 'users'>;

/**
 * @throws {DuplicateUserError}
 * @throws {OutdatedReadError} when somebody took the address while the transaction was under way
 */
export async function insertUser({ users }: Users, user: User, session: ClientSession): Promise<void> {
  const { id, ...rest } = user;
  const foldedEmail = foldEmail(user.email);
  // A unique index that refuses a write ends the transaction, so the unit looks first.
  if (await users.findOne({ foldedEmail }, { session })) throw new DuplicateUserError('the address is taken');
  try {
    await users.insertOne({ _id: id, ...rest, foldedEmail }, { session });
  } catch (error) {
    // Run again, the transaction sees who it is.
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
