/** First part of the address of each view of the window. Other addresses do not exist. */
export const VIEWS: readonly string[] = [
  'live',
  'sessions',
  'exchanges',
  'recall',
  'costs',
  'guard',
  'tools',
  'health',
  'settings',
]
