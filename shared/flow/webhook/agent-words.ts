import { plainText } from '../../tool-import/wording.ts'

/**
 * An agent's text in a notice: one line of at most `most` characters in which no program finds an address to make a link of.
 * Mail clients and chats link schemes, host names and e-mail addresses by themselves, so that a summary could offer a page of
 * its own beside the one of the service: `https://pay.example` is told as `https[:]//pay[.]example`. Numbers stay as they are.
 */
export function agentWords(text: string, most: number): string {
  return plainText(withoutLinks(plainText(text, most)), most)
}

function withoutLinks(text: string): string {
  return text
    .replace(/(?<=[\p{L}\p{N}\p{M}_-])[.\u3002\uff0e\uff61](?=[\p{L}_])/gu, '[.]')
    .replace(/:(?=\/\/)|(?<=\b(?:mailto|tel|sms|callto|skype|facetime|data|javascript)):(?=\S)/giu, '[:]')
    .replace(/(?<=\S)[@\uff20](?=\S)/gu, '[@]')
}
