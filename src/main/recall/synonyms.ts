import { stem } from './stem.ts'

/**
 * Words of the trade that mean the same: who asks for one may have written another. Small on purpose: a word that means
 * two things does more harm than good.
 */
const GROUPS: readonly string[] = [
  'login signin auth authentication sso',
  'password credential secret',
  'kubernetes k8s cluster pod',
  'container docker image dockerfile',
  'ios iphone ipad',
  'email mail',
  'company firm organization',
  'picture photo image',
  'thumbnail preview',
  'toggle flag switch',
  'translation i18n localization',
  'library package dependency',
  'pagination paging page',
  'db database',
  'config configuration settings',
  'repo repository',
  'bug defect issue',
  'crash panic',
  'slow latency lag laggy performance',
  'fast quick speed',
  'memory ram heap',
  'delete remove drop',
  'test spec',
  'deploy rollout release',
  'pipeline ci build',
  'job task worker',
  'queue backlog',
  'throttle ratelimit limiter',
  'websocket socket connection',
  'log audit trail',
  'error failure exception',
  'refund reimbursement',
  'invoice bill billing charge',
  'dark night',
  'theme palette color colour',
  'font typeface',
  'phone mobile',
  'server backend',
  'frontend ui client',
  'domain host',
  'certificate cert tls',
  'decide decision choose chose chosen pick',
]

const byStem = new Map<string, string[]>()
for (const group of GROUPS) {
  const words = group.split(' ')
  for (const word of words) {
    const others = words.filter((other) => other !== word)
    byStem.set(stem(word), [...(byStem.get(stem(word)) ?? []), ...others])
  }
}

/** Other words for a folded word; few, or none. */
export function synonymsOf(word: string): readonly string[] {
  return byStem.get(stem(word)) ?? []
}
