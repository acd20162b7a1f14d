/** The generated client names this DOM type, which Node's own types do not declare globally. */
type BodyInit = import('undici-types').BodyInit;
