import type { Health } from '../../shared/contract/health.ts'
import { doctorFix, type Warning } from './warning.ts'

/** Alerts of clients that do not trust our certificate, as OpenSSL names them. */
const UNTRUSTED = /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED)$/

/** Returns the warning about clients that use the tunnel without trusting its authority: they cannot reach the API. */
export function tunnelWarnings({ handshakes_failed: failed, hosts }: Health['tunnels']): Warning[] {
  const codes = Object.entries(failed).filter(([code]) => UNTRUSTED.test(code))
  const count = codes.reduce((sum, [, each]) => sum + each, 0)
  if (count === 0) return []
  return [
    {
      code: 'tunnel_untrusted',
      message: `Programs refused the tunnel's certificate for ${hosts.join(', ')} (${count} times): they do not trust its authority.`,
      fix: doctorFix('Start these programs with aspy run --full, or run aspy setup --full again.'),
      isSevere: false,
    },
  ]
}
