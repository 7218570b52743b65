import { expect, test } from 'vitest';
import { listServers } from './fleet-address.ts';

test('an address names one server, or those of a cluster behind commas', () => {
  expect(listServers('nats://a:4222')).toEqual(['nats://a:4222']);
  expect(listServers('tls://me:s@a:4222,b,c:1')).toEqual(['tls://me:s@a:4222', 'tls://b', 'tls://c:1']);
  expect(listServers('nats://a,nats://b')).toEqual(['nats://a', 'nats://b']);
});

test('a comma in a password parts nothing, and what is no address stays what it is', () => {
  expect(listServers('nats://me:a,b@h:4222,i')).toEqual(['nats://me:a,b@h:4222', 'nats://i']);
  expect(listServers('')).toEqual(['']);
  expect(listServers('here')).toEqual(['here']);
});
