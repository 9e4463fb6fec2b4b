import { call } from './client.ts'

/** Starts the demo and opens it beside this window: in a new tab, or from the desktop app in the system's browser. */
export async function openDemo(): Promise<void> {
  // A browser blocks a tab that opens long after the click, so it opens now and waits.
  const tab = window.aspy === undefined ? window.open('', '_blank') : null
  if (tab !== null) {
    tab.document.title = 'Aspy demo'
    tab.document.body.textContent = 'Starting the demo. This can take half a minute…'
  }
  try {
    const { link } = await call('demo.open', {})
    if (tab !== null) tab.location.replace(link)
    else if (window.aspy === undefined) window.location.assign(link)
    else window.open(link)
  } catch (error) {
    tab?.close()
    throw error
  }
}
