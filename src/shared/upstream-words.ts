import type { Health } from './contract/health.ts'

/** Says where requests go: to the gateways that clients have, and to the upstream of all others. */
export const upstreamWords = ({ upstream, gateways = [] }: Pick<Health, 'upstream' | 'gateways'>): string =>
  gateways.length === 0
    ? upstream
    : `${gateways.join(', ')}, from the settings of its clients; default upstream ${upstream}`
