import { expect, it } from 'vitest';
import { judgeSecretName, judgeSecretText } from './secret-files.ts';

it.each(['.env', 'a/.env.local', 'prod.env', 'x.pem', 'k/id_rsa', 'a.p12', '.ssh/config', 'credentials.json', 'terraform.tfvars'])(
  '%s looks like secrets',
  (path) => {
    expect(judgeSecretName(path)).not.toBeNull();
  },
);

it.each([
  '.env.example',
  '.env.sample',
  'env.ts',
  'id_rsa.pub',
  'key.ts',
  'src/secrets.ts',
  'tokens.md',
  'package.json',
  'environment',
  '.envrc',
])('%s does not', (path) => {
  expect(judgeSecretName(path)).toBeNull();
});

it.each([
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----',
  `ghp_${'x1'.repeat(18)}`,
  'AKIAIOSFODNN7EXAMPLE',
  `sk-ant-${'a1'.repeat(20)}`,
])('a text with %s holds a secret', (text) => {
  expect(judgeSecretText(`x = "${text}"`)).not.toBeNull();
});

it.each(['-----BEGIN PUBLIC KEY-----', 'sk-short', 'ghp_', 'process.env.API_KEY', 'sha512-abc'])('a text with %s holds none', (text) => {
  expect(judgeSecretText(text)).toBeNull();
});

it('is done quickly with long texts', () => {
  for (const piece of ['sk-', 'ghp_', 'AKIA', '-----BEGIN ', 'a', '//'])
    expect(judgeSecretText(piece.repeat(60_000)) === null || piece === 'sk-').toBe(true);
});
