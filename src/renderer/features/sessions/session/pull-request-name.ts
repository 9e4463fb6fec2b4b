/** What people call a pull request: `owner/name#12`; an address of another form stays what it is. */
export function pullRequestName(address: string): string {
  const parts = /^https?:\/\/[^/]+\/(.+?)\/(?:-\/)?(?:pull|merge_requests|pull-requests)\/(\d+)/.exec(address)
  return parts === null ? address : `${parts[1]}#${parts[2]}`
}
