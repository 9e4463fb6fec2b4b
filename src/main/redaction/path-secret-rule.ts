import { PATH_SECRET_LENGTH, PATH_SECRET_PREFIX } from '../../shared/path-secret.ts'
import { slug } from './char-class.ts'
import { keyFormat, type Rule } from './rule.ts'

/** Removes path secrets, current or not, by their prefix: every thread knows it, and old secrets stay covered. */
export const pathSecretRule: Rule = keyFormat('aspy-path-secret', PATH_SECRET_PREFIX, slug, PATH_SECRET_LENGTH)
