export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

const SECRET_NAME =
  /(?:^|_)(?:KEYS?|PAT|PASS|PWD|AUTH|JWT|COOKIE|SAS|DSN)$|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL/i;
/** They say where a secret is, or something about it, not the secret. */
const INNOCENT_NAME = /^(?:OLD)?PWD$|_(?:FILE|PATH|DIR|SOCK|ENDPOINT|HOST|PORT|COUNT|LIMIT|BUDGET|TTL|EXPIRY|EXPIRES|EXPIRATION)$/i;
/** What a value has to be to count as a secret where its name does not say so: one long word, with a long piece of letters and digits mixed. A model's name has none. */
function isKeyLike(value: string): boolean {
  return /^[A-Za-z0-9_+=~.-]{16,}$/.test(value) && value.split(/[^A-Za-z0-9]/).some(isMixed);
}

function isMixed(piece: string): boolean {
  return piece.length >= MIN_PIECE_CHARS && /\d/.test(piece) && /[A-Za-z]/.test(piece);
}

const MIN_PIECE_CHARS = 12;

const MIN_SECRET_CHARS = 8;

/** Whether the name of a variable says that it holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !INNOCENT_NAME.test(name);
}

/** Whether a value is worth hiding: at least eight characters, and no plain number below sixteen digits. */
export function isSecretValue(value: string): boolean {
  return value.length >= MIN_SECRET_CHARS && !(/^\d+$/.test(value) && value.length < 16);
}

/** Whether a value that somebody configured is a secret: by its name or by what it looks like. */
export function isSecret(name: string, value: string): boolean {
  return isSecretValue(value) && (isSecretName(name) || isKeyLike(value));
}

const SECRET_OPTION = /^--?(?:[a-z]+[-_])*(?:key|token|secret|password|auth)$/i;

/** The secrets among the arguments of a command, by the option in front of each (`--api-key VALUE`, `--token=VALUE`). */
export function findSecretArgs(args: readonly string[]): readonly SecretValue[] {
  return args.flatMap((arg, index) => {
    const [option = '', ...rest] = arg.split('=');
    if (!SECRET_OPTION.test(option)) return [];
    const value = arg.includes('=') ? rest.join('=') : args[index + 1];
    return value === undefined || value === '' ? [] : [{ name: option, value }];
  });
}
