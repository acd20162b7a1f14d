/** The generated client uses this DOM type, which the types of Node do not declare globally. */
type BodyInit = import('undici-types').BodyInit;
