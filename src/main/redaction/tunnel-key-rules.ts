import { TUNNEL_KEY_LENGTH, TUNNEL_KEY_PREFIX } from '../../shared/tunnel-key.ts'
import { base64, slug } from './char-class.ts'
import { keyFormat, type Rule } from './rule.ts'

/** Base64 of `aspy:aspy-tunnel-`, as far as the key does not change it. */
const LOGIN_PREFIX = 'YXNweTphc3B5LXR1bm5lbC'
/** Base64 of user name and key together has 80 characters. */
const LOGIN_REST = 50

/** Remove keys of the tunnel, valid or not, by their prefix: in `HTTPS_PROXY`, and as `Proxy-Authorization` encodes them. */
export const tunnelKeyRules: readonly Rule[] = [
  keyFormat('aspy-tunnel-key', TUNNEL_KEY_PREFIX, slug, TUNNEL_KEY_LENGTH),
  keyFormat('aspy-tunnel-login', LOGIN_PREFIX, base64, LOGIN_REST),
]
