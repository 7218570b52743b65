/**
 * Front door of `secrets`: which values of a configuration and an environment are secrets, and which variables agents, gates and git get of them. Nothing is read or
 * written here.
 */
export {
  type Environment,
  findKnownSecrets,
  listKeyNames,
  withOwnLogins,
  withoutKeys,
  withoutModelKeys,
  withoutSecrets,
} from './known-secrets.ts';
