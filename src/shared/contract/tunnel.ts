import { z } from 'zod'
import { isTunnelKey } from '../tunnel-key.ts'
import { operation } from './operation.ts'

/** The state of full mode's tunnel. Counts are since the start. */
export const tunnelHealth = z.object({
  /** Hosts whose TLS the tunnel ends. */
  hosts: z.array(z.string()),
  open: z.number(),
  opened: z.number(),
  /** Opened tunnels to these hosts. */
  intercepted: z.number(),
  /** Refused tunnel requests, by reason. */
  refused: z.record(z.string(), z.number()),
  /** Clients that did not complete the TLS handshake, by error code. */
  handshakes_failed: z.record(z.string(), z.number()),
  /** When the certificate authority expires; null if there is none yet. */
  ca_expires_at: z.string().nullable(),
})

export const tunnelLease = operation({
  name: 'tunnel.lease',
  summary: "Open the tunnel of full mode for a run's key, until the caller leaves.",
  place: 'main',
  answer: 'stream',
  writes: true,
  input: z.object({
    /** The run's key, made by the caller. */
    tunnel_key: z.string().refine(isTunnelKey, 'a tunnel key'),
    /** The client whose hosts are intercepted; default: Claude Code. */
    client: z.enum(['claude-code', 'codex']).optional(),
    /** After a restart of the app: fingerprints of the authorities that the client read. */
    trusted: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex digits'))
      .max(20)
      .optional(),
    /** The network's proxy for the run's tunnels, as in `HTTPS_PROXY` and `NO_PROXY`; absent: the app's own. */
    https_proxy: z.string().max(2000).optional(),
    no_proxy: z.string().max(20_000).optional(),
  }),
  /** One batch, sent once the key is valid. */
  output: z.object({
    /** `http://127.0.0.1:PORT` */
    tunnel: z.string(),
    /** The certificates to trust, PEM. */
    ca: z.string(),
    /** A file with them; null if the data folder cannot be used. */
    ca_file: z.string().nullable(),
    /** Their SHA-256. */
    fingerprints: z.array(z.string()),
    hosts: z.array(z.string()),
  }),
})
