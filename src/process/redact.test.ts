import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedaction, createRedactor, stripColours } from './redact.ts';

const VALUE = 'sk+ant/secret-Value$1(9)';
const redact = createRedactor({ ANTHROPIC_API_KEY: VALUE, PATH: '/usr/bin:/usr/local/bin' });

describe('a secret of the environment', () => {
  it('is replaced by its name wherever it stands', () => {
    expect(redact(`x${VALUE}y ${VALUE}`)).toBe('x[redacted: ANTHROPIC_API_KEY]y [redacted: ANTHROPIC_API_KEY]');
  });

  it.each([
    ['over two lines', `${VALUE.slice(0, 9)}\n${VALUE.slice(9)}`],
    ['over two numbered lines', `7\t${VALUE.slice(0, 9)}\n8\t${VALUE.slice(9)}`],
    ['over two pieces of a line', `7:1\t${VALUE.slice(0, 9)}\n7:1901\t${VALUE.slice(9)}`],
    ['with codes for colours in between', `${VALUE.slice(0, 9)}\u001b[31m${VALUE.slice(9)}`],
    ['as base64', Buffer.from(VALUE).toString('base64')],
    ['in the base64 of more, at every place', Buffer.from(`a${VALUE}bc`).toString('base64')],
    ['in the base64 of more, at every place', Buffer.from(`ab${VALUE}b`).toString('base64')],
    ['as base64 for URLs', Buffer.from(`{"key":"${VALUE}"}`).toString('base64url')],
    ['as base64 for URLs, at another place', Buffer.from(`"k":"${VALUE}"}`).toString('base64url')],
    ['as hexadecimal digits', Buffer.from(VALUE).toString('hex').toUpperCase()],
    ['with percent codes', encodeURIComponent(VALUE)],
  ])('is found %s', (_, text) => {
    const redacted = redact(text);
    expect(redacted).toContain('[redacted: ANTHROPIC_API_KEY]');
    expect(redacted.length).toBeLessThan(text.length + 30);
  });

  it('is not put together again by leaving out colours', () => {
    const nested = `${VALUE.slice(0, 9)}\u001b[\u001b[0m0m${VALUE.slice(9)}`;
    expect(stripColours(redact(nested))).not.toContain(VALUE);
  });

  it.each(['\u202e', '\u200e', '\u200b', '\u00ad', '\ufeff', '\u0000', '\u0007', '\u2066', '\ufe0f'])(
    'is found with %j within it, and what has none keeps its marks',
    (mark) => {
      const hidden = `a ${VALUE.slice(0, 9)}${mark}${VALUE.slice(9)} b`;
      expect(redact(hidden)).toBe('a [redacted: ANTHROPIC_API_KEY] b');
      expect(createRedaction({ ANTHROPIC_API_KEY: VALUE })?.text(hidden)).toBe('a [redacted: ANTHROPIC_API_KEY] b');
      expect(redact(`no ${mark} secret`)).toBe(`no ${mark} secret`);
    },
  );

  it('is taken out as well where a line was cut in the middle of it', () => {
    expect(redact(`abc ${VALUE.slice(0, 12)}[… 900 more characters]`)).toBe('abc [redacted: ANTHROPIC_API_KEY][… 900 more characters]');
    expect(redact(`abc ${VALUE.slice(0, 6)}[… 900 more characters]`)).toBe('abc [redacted: ANTHROPIC_API_KEY][… 900 more characters]');
    expect(redact(`abc ${VALUE.slice(0, 5)}[… 900 more characters]`)).toContain(VALUE.slice(0, 5));
    const cut = `${VALUE.slice(0, 12)}[… 900 more characters]`;
    expect(redact(`${cut}\n${cut}\nend`)).not.toContain(VALUE.slice(0, 6));
    const long = 'a1B2c3D4'.repeat(120);
    expect(createRedactor({ LONG_KEY: long })(`abc ${long.slice(0, 901)}[… 900 more characters]`)).toBe(
      'abc [redacted: LONG_KEY][… 900 more characters]',
    );
  });

  it('is found as base64 for URLs where that has other marks than base64', () => {
    const value = 'ab?cd?ef?gh>';
    expect(createRedactor({ MY_SECRET: value })(`is ${Buffer.from(value).toString('base64url')}`)).toBe('is [redacted: MY_SECRET]');
  });

  it('is found as a string of JSON', () => {
    expect(createRedactor({ MY_SECRET: 'with"quote\\and' })(JSON.stringify({ a: 'with"quote\\and' }))).toBe(
      '{"a":"[redacted: MY_SECRET]"}',
    );
  });

  it.each([
    ['GITHUB_TOKEN', 'abcdefgh1'],
    ['npm_config__authToken', 'abcdefgh1'],
    ['PGPASSWORD', 'abcdefgh1'],
    ['MYSQL_PWD', 'abcdefgh1'],
    ['AWS_SECRET_ACCESS_KEY', 'abcdefgh1'],
    ['SESSION_COOKIE', 'abcdefgh1'],
    ['GOOGLE_CREDENTIALS', 'abcdefgh1'],
    ['GPG_PASSPHRASE', 'abcdefgh1'],
    ['STRIPE_KEY', 'abcdefgh1'],
  ])('is known by its name: %s', (name, value) => {
    expect(createRedactor({ [name]: value })(`is ${value}`)).toBe(`is [redacted: ${name}]`);
  });

  it.each([
    ['PWD', '/home/user/project'],
    ['SSH_AUTH_SOCK', '/run/user/1000/ssh'],
    ['API_KEY', 'short'],
    ['MAX_OUTPUT_TOKENS', '128000000'],
    ['TOKEN_FILE', '/run/secrets/token'],
    ['KEYBOARD_LAYOUT', 'de-nodeadkeys'],
    ['EDITOR', 'vim-with-options'],
  ])('is not every value: %s', (name, value) => {
    expect(createRedactor({ [name]: value })(`is ${value}`)).toBe(`is ${value}`);
  });

  it('that is a mere word counts only where it stands alone', () => {
    const plain = createRedactor({ DB_PASSWORD: 'postgres' });
    expect(plain('password postgres, image postgresql')).toBe('password [redacted: DB_PASSWORD], image postgresql');
    expect(createRedactor({ DB_PASSWORD: 'fifteenletterss' })('xfifteenletterssx')).toBe('xfifteenletterssx');
    expect(createRedactor({ DB_PASSWORD: 'sixteenlettersss' })('xsixteenlettersssx')).toBe('x[redacted: DB_PASSWORD]x');
  });

  it('is the password in a URL as well', () => {
    const urls = createRedactor({ DATABASE_URL: 'postgres://me:p%40ss-w0rd@db.example/x' });
    expect(urls('p%40ss-w0rd or p@ss-w0rd at db.example')).toBe('[redacted: DATABASE_URL] or [redacted: DATABASE_URL] at db.example');
  });

  it.each(['', 'said '])('of several lines is taken out in every line of eight characters or more: %j', (before) => {
    const value = 'user=alice\r\npassword=horse-battery\nother=abc\nshort\n12345678';
    const said = `${before}${value}\n`;
    const expected = `${before}[redacted: LINES_SECRET]\r\n[redacted: LINES_SECRET]\n[redacted: LINES_SECRET]\nshort\n12345678\n`;
    const byName = createRedaction({ LINES_SECRET: value });
    const byConfiguration = createRedaction({}, [{ name: 'LINES_SECRET', value }]);
    expect(byName?.text(said)).toBe(expected);
    expect(byConfiguration?.text(said)).toBe(expected);
    expect(
      said
        .split(/(?<=\n)/)
        .map((line) => byName?.text(line))
        .join(''),
    ).toBe(expected);
  });

  it('of several lines is found line by line', () => {
    const key = 'MIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7VJTU';
    expect(createRedactor({ DEPLOY_KEY: key })('7: AASCBKcwggSjAgEAAoIBAQC7VJTU;')).toBe('7: [redacted: DEPLOY_KEY];');
  });

  it('of any shape never stays in the text as it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 300, unit: 'grapheme-ascii' }), fc.string(), fc.string(), (value, before, after) => {
        fc.pre(value.trim().length >= 8 && !/^\d+$/.test(value.trim()) && !/^\w+:\/\//.test(value) && !/\\n/.test(value));
        const redactX = createRedactor({ X_SECRET: value });
        expect(redactX(`before ${value} after`)).toMatch(/^before .*\[redacted: X_SECRET\].* after$/s);
        const text = redactX(`${before} ${value} ${after}`);
        expect(text).toContain('[redacted: ');
        expect(text).not.toContain(value.trim());
      }),
    );
  });
});

describe('many secrets', () => {
  const many = Object.fromEntries(
    Array.from({ length: 700 }, (_, at) => [`KEY_${at}_TOKEN`, `value-${at}-of-many-${(at * 7919).toString(36)}`]),
  );

  it('are all taken out: as they are, as base64, as hexadecimal digits', () => {
    const redact = createRedactor(many);
    const values = Object.values(many);
    const text = values
      .map((value, at) => [value, Buffer.from(value).toString('base64'), Buffer.from(value).toString('hex')][at % 3])
      .join(' and ');
    const redacted = redact(text);
    for (const [at, name] of Object.keys(many).entries()) expect(redacted, String(at)).toContain(`[redacted: ${name}]`);
    const rest = redacted.split(/(?:^| and )?\[redacted: \w+\]/).join('');
    // Of base64 what depends on the neighbours stays: a character or two.
    expect(rest.length).toBeLessThan(values.length);
    expect(createRedaction(many)?.text(`x ${values[699]} y`)).toBe('x [redacted: KEY_699_TOKEN] y');
  });

  it('leave a text as it is in which none of them stands', () => {
    const text = 'plain words, value-1-of-few, '.repeat(100);
    expect(createRedactor(many)(text)).toBe(text);
  });

  it.each([
    ['few', {}],
    ['many', many],
  ])('are each taken out whole where one holds another: %s', (_, others) => {
    const redactBoth = createRedactor({ ...others, INNER_TOKEN: 'inner-value-1', OUTER_TOKEN: 'outer+inner-value-1+outer' });
    expect(redactBoth('is inner-value-1, is outer+inner-value-1+outer')).toBe('is [redacted: INNER_TOKEN], is [redacted: OUTER_TOKEN]');
  });
});

describe('what looks like a token', () => {
  const secret = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
  it.each([
    ['API key', `sk-ant-api03-${secret}`],
    ['API key', `sk-proj-${secret}`],
    ['GitHub token', `ghp_${secret}`],
    ['GitHub token', `github_pat_11ABC_${secret}`],
    ['GitLab token', `glpat-${secret}`],
    ['AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['Google API key', `AIza${secret.slice(0, 35)}`],
    ['Slack token', 'xoxb-1234567890-abcdefghij'],
    ['npm token', `npm_${secret}`],
    ['Hugging Face token', `hf_${secret}`],
    ['Stripe key', `sk_live_${secret}`],
    ['JSON web token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${secret}`],
  ])('is replaced: %s', (label, token) => {
    expect(redact(`before "${token}" after`)).toBe(`before "[redacted: ${label}]" after`);
  });

  it('keeps what stands in front of it', () => {
    expect(redact(`Authorization: Bearer ${secret}`)).toBe('Authorization: Bearer [redacted: bearer token]');
    expect(redact('authorization: Basic dXNlcjpwYXNzd29yZA==')).toBe('authorization: Basic [redacted: credentials]');
    expect(redact('https://me:pass@example.com/x')).toBe('https://[redacted: credentials]@example.com/x');
  });

  it('is a private key as well, also in numbered lines and as a string', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTU';
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${line}\nabc=\n-----END RSA PRIVATE KEY-----`;
    for (const text of [key, key.replaceAll('\n', '\n12\t'), key.replaceAll('\n', '\\n')]) {
      expect(redact(`a ${text}\nb.`)).toBe('a [redacted: private key]\nb.');
    }
    expect(redact(key.slice(0, -40))).toBe('[redacted: private key]');
  });

  it.each([
    'a sk-learn-compatible-estimator-for-everybody stays',
    'const begin = "-----BEGIN PRIVATE KEY-----"; // and more code, of any length',
    'Bearer authentication is required here',
    'see https://example.com:8080/path@2 and git@github.com:me/repo.git',
    `http://user@host/ and ${'$'}{scheme}://${'$'}{user}:${'$'}{password}@host`,
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  ])('is no other text: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('a value that is named as a secret', () => {
  it('is one whatever its name is', () => {
    expect(createRedactor({}, [{ name: 'files.ROOM', value: 'quiet-elephant-7' }])('a quiet-elephant-7 b')).toBe(
      'a [redacted: files.ROOM] b',
    );
  });
});

describe('the redaction of what is said to a run', () => {
  const redaction = createRedaction({ MY_TOKEN: VALUE, DB_PASSWORD: 'postgres' });

  it('leaves a text without secrets as it is, with its colours and with what only looks like a token', () => {
    const text = '\u001b[31mred\u001b[0m sk-abcdefghijkl1234567890';
    expect(redaction?.text(text)).toBe(text);
  });

  it('is not there where nothing is secret', () => {
    expect(createRedaction({ PATH: '/usr/bin' })).toBeNull();
  });

  it('finds a value wherever a stream is cut, and loses nothing else', () => {
    const words = fc.constantFrom(VALUE, 'postgres', 'postgresql', VALUE.slice(0, 5), VALUE.slice(3), 'a ', '\n', 'post', ' ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), fc.array(fc.nat(30), { maxLength: 12 }), (parts, cuts) => {
        const text = parts.join('');
        const stream = redaction?.stream();
        let shown = '';
        let at = 0;
        for (const cut of cuts) {
          shown += stream?.push(text.slice(at, at + cut)) ?? '';
          at += cut;
        }
        shown += (stream?.push(text.slice(at)) ?? '') + (stream?.end() ?? '') + (stream?.end() ?? '');
        expect(shown.replaceAll('[redacted: MY_TOKEN]', VALUE).replaceAll('[redacted: DB_PASSWORD]', 'postgres')).toBe(text);
        expect(shown).not.toContain(VALUE);
      }),
    );
  });

  it('holds back no more than what may be a beginning', () => {
    const stream = redaction?.stream();
    expect(stream?.push('all is well')).toBe('all is well');
    expect(stream?.push(` key: ${VALUE.slice(0, 4)}`)).toBe(' key: ');
    expect(stream?.push('no')).toBe(`${VALUE.slice(0, 4)}no`);
  });
});
