import type { HttpSender, OutgoingPost, Sent } from '../ports/http-sender.js';

/** Sends nowhere: keeps what was to be sent and answers as the test says. */
export class RecordingSender implements HttpSender {
  readonly posts: OutgoingPost[] = [];
  /** How the next ones end; 200 unless set. */
  answer: (post: OutgoingPost) => Sent | Promise<Sent> = () => ({ status: 200 });

  /** One whose posts all end the same way. */
  static answering(sent: Sent): RecordingSender {
    const sender = new RecordingSender();
    sender.answer = () => sent;
    return sender;
  }

  async post(post: OutgoingPost): Promise<Sent> {
    this.posts.push(post);
    return this.answer(post);
  }
}
