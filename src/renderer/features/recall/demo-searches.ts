/** Searches for a visitor of the demo, who does not know its sessions: the first hit of each is a decision. */
export const DEMO_SEARCHES: readonly string[] = [
  'why no timer for acknowledged messages',
  'why does a slow subscriber lose its connection',
  'why is money stored in minor units',
]
