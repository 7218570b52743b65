import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecretArgs, isSecret, isSecretName } from './secrets.ts';

describe('a value that was configured', () => {
  it.each<[string, string, boolean]>([
    ['MY_API_KEY', 'plain words here', true],
    ['REGION', 'a1b2c3d4e5f6g7h8', true],
    ['REGION', 'sk-live.a1b2c3d4e5f6', true],
    ['REGION', 'a1b2c3d4e5f', false],
    ['MODEL', 'claude-sonnet-4-5-20250929', false],
    ['FOLDER', '/home/ann/a1b2c3d4e5f6g7h8', false],
    ['COUNT', '1234567890123456', false],
    ['WORDS', 'abcdefghijklmnopqrst', false],
    ['REGION', 'a1b2c3d4e5f6g7h', false],
    ['REGION', 'a1b2c3d4e5f6.abc', true],
    ['REGION', 'a1b2c3d4e5f.abcd', false],
    ['MY_TOKEN', 'seven77', false],
    ['MY_TOKEN', 'eight888', true],
    ['MY_TOKEN', '123456789012345', false],
    ['MY_TOKEN', '1234567890123456', true],
  ])('%s=%s is a secret: %s', (name, value, expected) => {
    expect(isSecret(name, value)).toBe(expected);
  });

  it('looks like a key where one word of sixteen characters or more holds a piece of twelve letters and digits', () => {
    const kinds = { letters: 'abcDEFghijklmnop', digits: '1234567890123456', mixed: 'a1b2C3d4e5f6g7h8' };
    const piece = fc.record({ kind: fc.constantFrom('letters', 'digits', 'mixed'), chars: fc.integer({ min: 3, max: 16 }) });
    const rest = fc.record({ mark: fc.constantFrom('_', '+', '=', '~', '.', '-', ' ', '/', '"'), piece });
    fc.assert(
      fc.property(piece, fc.array(rest, { maxLength: 4 }), (first, others) => {
        const pieces = [first, ...others.map((other) => other.piece)];
        const value = others.reduce(
          (text, { mark, piece: { kind, chars } }) => text + mark + kinds[kind].slice(0, chars),
          kinds[first.kind].slice(0, first.chars),
        );
        const isWord = others.every(({ mark }) => ![' ', '/', '"'].includes(mark));
        const isKey = isWord && value.length >= 16 && pieces.some(({ kind, chars }) => kind === 'mixed' && chars >= 12);
        expect(isSecret('NAME', value)).toBe(isKey);
      }),
    );
  });

  // With work that grows with the square of the length, none of these would come back.
  it.each([
    ['letters', 'a'.repeat(1 << 20), false],
    ['digits', '1'.repeat(1 << 20), false],
    ['letters, and no word at the end', `${'a'.repeat(1 << 20)}/`, false],
    ['short pieces', 'a1-'.repeat(1 << 19), false],
    ['a key', 'a1'.repeat(1 << 19), true],
  ])('may be a million %s long', (_, value, expected) => {
    expect(isSecret('NAME', value)).toBe(expected);
  });
});

describe('the name of a variable', () => {
  it.each(
    'SIGNING_KEYS GH_PAT DB_PASS MYSQL_PWD NPM_AUTH JWT CF_SAS SENTRY_DSN X_COOKIE apikey ACCESS_KEY_ID SSH_PRIVATE_KEY GPG_PASSPHRASE GOOGLE_CREDENTIALS'.split(
      ' ',
    ),
  )('says that it holds a secret: %s', (name) => expect(isSecretName(name)).toBe(true));

  it.each(
    'PWD OLDPWD PATH KEYBOARD MONKEY TOKEN_FILE SECRET_PATH CREDENTIAL_DIR SSH_AUTH_SOCK TOKEN_TTL TOKEN_COUNT MAX_TOKEN_LIMIT TOKEN_BUDGET TOKEN_EXPIRY SECRET_HOST'.split(
      ' ',
    ),
  )('says nothing of a secret, or where it is: %s', (name) => expect(isSecretName(name)).toBe(false));
});

it.each<[readonly string[], Readonly<Record<string, string>>]>([
  [['run', '--api-key', 'one', '--my-api-key=two', '-token', 'three'], { '--api-key': 'one', '--my-api-key': 'two', '-token': 'three' }],
  [['--TOKEN=a=b==', '--secret_key', 'four'], { '--TOKEN': 'a=b==', '--secret_key': 'four' }],
  [['--token=', '--password'], {}],
  [['--monkey', 'x', '--keys', 'y', 'token', 'z', '--token-file', 'f'], {}],
])('the secrets among the arguments %j are known by the options in front of them', (args, expected) => {
  expect(Object.fromEntries(findSecretArgs(args).map(({ name, value }) => [name, value]))).toEqual(expected);
});
