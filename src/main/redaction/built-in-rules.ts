import { ENCODED_FORMATS } from './encoded-formats.ts'
import { KEY_FORMATS } from './key-formats.ts'
import { pathSecretRule } from './path-secret-rule.ts'
import { privateKeyRule } from './private-key-rule.ts'
import { puttyKeyRule } from './putty-key-rule.ts'
import type { Rule } from './rule.ts'
import { tunnelKeyRules } from './tunnel-key-rules.ts'
import { VALUE_RULES } from './value-rules.ts'

/** Rules that always apply. If two match at the same place, the first one names the secret. */
export const BUILT_IN_RULES: readonly Rule[] = [
  privateKeyRule,
  puttyKeyRule,
  pathSecretRule,
  ...tunnelKeyRules,
  ...KEY_FORMATS,
  ...VALUE_RULES,
  ...ENCODED_FORMATS,
]
