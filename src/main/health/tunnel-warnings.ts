import type { Health } from '../../shared/contract/health.ts'
import { doctorFix, type Warning } from './warning.ts'

/** Alerts of clients that do not trust our certificate, as OpenSSL names them. */
const UNTRUSTED = /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED)$/

/**
 * Codes of clients that sent no alert. Claude Code leaves the handshake unfinished if it does not trust a certificate
 * (measured with version 2.1.330), but so does a client that exits.
 */
const SILENT: ReadonlySet<string> = new Set(['it took too long', 'the client closed the connection', 'ECONNRESET'])
/** From this many silent failures on, distrust is assumed. */
const MANY_SILENT = 5

/** Returns the warning about clients that use the tunnel without trusting its authority: they cannot reach the API. */
export function tunnelWarnings({ handshakes_failed: failed, hosts }: Health['tunnels']): Warning[] {
  const countOf = (isMeant: (code: string) => boolean) =>
    Object.entries(failed).reduce((sum, [code, each]) => sum + (isMeant(code) ? each : 0), 0)
  const silent = countOf((code) => SILENT.has(code))
  const count = countOf((code) => UNTRUSTED.test(code)) + (silent >= MANY_SILENT ? silent : 0)
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
