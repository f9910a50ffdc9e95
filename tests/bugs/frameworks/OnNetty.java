// SPDX-License-Identifier: GPL-2.0-only
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;

/** The functions of Serve in Netty, where they stop one of four loops: see ../frameworks.py. */
public class OnNetty extends SimpleChannelInboundHandler<FullHttpRequest> {
	@Override
	protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws IOException {
		byte[] text = Serve.run(request.uri());
		DefaultFullHttpResponse response =
			new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(text));
		response.headers().setInt("Content-Length", text.length);
		context.writeAndFlush(response);
	}

	public static void main(String[] args) throws Exception {
		int port = Serve.begin(args);
		new ServerBootstrap()
			.group(new NioEventLoopGroup(1), new NioEventLoopGroup(4))
			.channel(NioServerSocketChannel.class)
			.childHandler(new ChannelInitializer<SocketChannel>() {
				@Override
				protected void initChannel(SocketChannel channel) {
					channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65536), new OnNetty());
				}
			})
			.bind("127.0.0.1", port)
			.sync()
			.channel()
			.closeFuture()
			.sync();
	}
}
