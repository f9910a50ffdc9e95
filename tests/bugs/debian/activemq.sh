# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's ActiveMQ (Java), a broker asked by STOMP, a thread for each connection. Sourced by start.sh.

# A queue whose memory is full stops who sends to it, or takes what is sent; who reads a topic may select what.
server_activemq() {
	local stops=false one classes=
	export SIZE=20
	[ "$name" != blind5-activemq-full ] || stops=true
	[ "$name" != blind5-activemq-select ] || SIZE=6000
	for one in activemq-{broker,client,stomp} slf4j-api slf4j-nop geronimo-jms_1.1_spec geronimo-j2ee-management-1.1-spec hawtbuf hawtdispatch; do
		classes+=:/usr/share/java/$one.jar
	done
	cat >"$work/Post.java" <<-JAVA
	import org.apache.activemq.broker.BrokerService;
	import org.apache.activemq.broker.region.policy.*;

	public class Post {
	    public static void main(String[] args) throws Exception {
	        BrokerService broker = new BrokerService();
	        broker.setPersistent(false);
	        broker.setUseJmx(false);
	        broker.setAdvisorySupport(false);
	        broker.setDataDirectory("$work/data");
	        PolicyEntry entry = new PolicyEntry();
	        entry.setQueue(">");
	        entry.setProducerFlowControl($stops);
	        entry.setMemoryLimit(1024 * 1024);
	        entry.setPendingQueuePolicy(new VMPendingQueueMessageStoragePolicy());
	        PolicyMap policy = new PolicyMap();
	        policy.put(entry.getDestination(), entry);
	        broker.setDestinationPolicy(policy);
	        broker.addConnector("stomp://127.0.0.1:$port");
	        broker.start();
	        broker.waitUntilStopped();
	    }
	}
	JAVA
	"$program" -Xmx256m -cp "${classes#:}" "$work/Post.java" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
