import { z } from 'zod'
import { bytes, hostNames, port } from './config-values.ts'

const upstreamUrl = z.url({ protocol: /^https?$/ })

/** `[proxy]`: where requests come in, and where they go. */
export const proxySection = z
  .strictObject({
    port: port.default(2779).describe('Port of the proxy on 127.0.0.1. 0 picks a free port.'),
    upstream: z
      .url({ protocol: /^https?$/ })
      .default('https://api.anthropic.com')
      .describe('Address that requests are forwarded to.'),
    tunnel_port: port
      .default(0)
      .describe(
        'Port of the tunnel for full mode on 127.0.0.1. 0 picks a free port; aspy setup --full sets a fixed one.',
      ),
    intercept_hosts: hostNames
      .default(['api.anthropic.com'])
      .describe(
        'Hosts whose TLS the tunnel ends, to record their Messages requests. All other hosts pass unread. An upstream of your own replaces the first.',
      ),
    upstreams: z
      .strictObject({
        /** For requests below /openai/v1 with an API key. */
        openai: upstreamUrl.default('https://api.openai.com/v1'),
        /** For requests below /openai/v1 of a ChatGPT login. */
        chatgpt: upstreamUrl.default('https://chatgpt.com/backend-api/codex'),
      })
      .prefault({})
      .describe(
        'Addresses that a path prefix may choose instead. Requests below /openai/v1 go to openai with an API key, and to chatgpt with a ChatGPT login.',
      ),
    websockets: z
      .enum(['relay', 'refuse'])
      .default('relay')
      .describe(
        'WebSockets of clients that prefer them, such as Codex. relay: forward and record them. refuse: the client sends plain requests instead, after a line on its screen.',
      ),
    max_queue_bytes: bytes
      .default(64 * 1024 * 1024)
      .describe(
        'Maximum bytes of captured traffic waiting for the recorder. Above it, whole exchanges are dropped and counted.',
      ),
  })
  .prefault({})
