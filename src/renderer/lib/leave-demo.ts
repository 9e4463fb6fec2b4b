import { call } from './client.ts'

/** Leaves the demo: closes its tab or, where the browser does not allow that, returns to the app that opened it. */
export async function leaveDemo(): Promise<void> {
  const { link } = await call('demo.leave', {})
  window.close()
  if (link !== null && !window.closed) window.location.assign(link)
}
