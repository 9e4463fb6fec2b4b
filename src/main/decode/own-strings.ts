/**
 * Copies JSON data with its strings. A substring keeps its whole text in memory: a working directory would keep the
 * system prompt. Use this for strings that outlive the request or answer that contained them.
 */
export const withOwnStrings = <Data>(data: Data): Data => JSON.parse(JSON.stringify(data)) as Data
